"""The platforms whose exports are read, a row each, by their published formats."""

from __future__ import annotations

from trace_eval.conversations.layouts.otel import spoken_in_spans
from trace_eval.conversations.layouts.pipecat import spoken_in_lines
from trace_eval.conversations.layouts.platform import Platform, named, places
from trace_eval.conversations.layouts.realtime import spoken_in_events

#: Of calls that our own readers of events put together.
_OUR_COLUMNS = places(
    "role=role text=text start=start end=end"
    " call=call name=name arguments=arguments response=response at=at"
)
_OUR_ROLES = named(
    "user=user agent=agent tool_call=tool_call tool_response=tool_response"
)

PLATFORMS = (
    Platform(
        "twilio",
        "Twilio: recording resources, sentences of Conversational Intelligence",
        marks=(r'"(media_channel|call_sid)"',),
        turns=("sentences",),
        columns=places(
            "role=media_channel text=transcript start=start_time end=end_time"
        ),
        call=places("id=sid length=duration recording=media_url version=api_version"),
        roles=named(
            "1=user 2=agent"
        ),  # the parent leg is the person's, as in its recordings
    ),
    Platform(
        "livekit",
        "LiveKit Agents: session reports",
        marks=(r'"job_id"', r'"room_id"'),
        turns=("chat_history.items",),
        columns=places(
            "role=role|type text=content"
            " start=metrics.started_speaking_at|metrics.startedSpeakingAt"
            " end=metrics.stopped_speaking_at|metrics.stoppedSpeakingAt"
            " call=call_id|callId name=name arguments=arguments|args response=output"
            " at=created_at|createdAt"
        ),
        call=places(
            "id=job_id zero=audio_recording_started_at recording=audio_recording_path"
            " version=sdk_version"
        ),
        roles=named(
            "user=user assistant=agent function_call=tool_call"
            " function_call_output=tool_response"
        ),
    ),
    Platform(
        "pipecat",
        "Pipecat: messages of a transcript, events of speech, messages of RTVI",
        marks=(
            r'^\s*\[?\s*\{\s*"role"\s*:\s*"(user|assistant)"'
            r'|"kind"\s*:\s*"(user|bot)_speech_started"'
            r'|"label"\s*:\s*"rtvi-ai"',
            r'"(content|kind|label)"',
            r'"timestamp"|"label"\s*:\s*"rtvi-ai"',
        ),
        turns=("turns",),
        columns=_OUR_COLUMNS,
        call=places("recording=recording"),
        roles=_OUR_ROLES,
        whole=spoken_in_lines,
        inside=("role", "kind", "label"),
    ),
    Platform(
        "vapi",
        "Vapi: call objects",
        marks=(
            r'"secondsFromStart"|"transcriptType"'
            r'|"type"\s*:\s*"(end-of-call-report|(status|conversation|speech)-update)"',
        ),
        turns=("artifact.messages", "messages"),
        columns=places(
            "role=role text=message start=secondsFromStart from=time to=endTime"
            " call=toolCallId|toolCalls.id name=name|toolCalls.function.name"
            " arguments=toolCalls.function.arguments response=result"
            " at=secondsFromStart"
        ),
        call=places(
            "id=call.id|id kind=message.type"
            " system=assistant.name|assistantId|call.assistant.name|call.assistantId"
            " reason=endedReason"
            " recording=artifact.recording.stereoUrl|artifact.stereoRecordingUrl|stereoRecordingUrl"
        ),
        roles=named(
            "user=user bot=agent assistant=agent tool_calls=tool_call"
            " tool_call_result=tool_response"
        ),
        reasons=named(
            "customer-ended-call=user_hangup assistant-forwarded-call=transfer"
        ),
        expand="toolCalls",
    ),
    Platform(
        "retell",
        "Retell: call objects",
        marks=(r'"call_id"', r'"agent_id"'),
        turns=("transcript_with_tool_calls", "transcript_object"),
        columns=places(
            "role=role text=content start=words.0.start end=words.-1.end"
            " call=tool_call_id name=name arguments=arguments response=content"
        ),
        call=places(
            "id=call_id kind=event|event_type"
            " system=agent_name|agent_id zero=start_timestamp"
            " length_ms=duration_ms reason=disconnection_reason"
            " recording=recording_multi_channel_url"
        ),
        roles=named(
            "user=user agent=agent tool_call_invocation=tool_call"
            " tool_call_result=tool_response"
        ),
        reasons=named("call_transfer=transfer"),
    ),
    Platform(
        "openai_realtime",
        "OpenAI Realtime: logged events of a session",
        marks=(
            r'"event_id"',
            r'"(session\.created|input_audio_buffer\.\w+|response\.created)"',
        ),
        turns=("turns",),
        columns=_OUR_COLUMNS,
        call=places("system=model"),
        roles=_OUR_ROLES,
        whole=spoken_in_events,
        inside=("event_id", "type"),
    ),
    Platform(
        "otel",
        "OpenTelemetry: GenAI spans in OTLP JSON",
        marks=(r'"resourceSpans"', r'"gen_ai\.|"(user|agent)_speaking"'),
        turns=("turns",),
        columns=_OUR_COLUMNS,
        call=places("id=id system=model policy=policy version=version"),
        roles=_OUR_ROLES,
        whole=spoken_in_spans,
        inside=("resourceSpans",),
    ),
)
