"""Clients: one chat call each, with typed failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.chat.base import CallFailed, ChatClient, Reply, Request, Unusable
    from trace_eval.judges.chat.batch import BatchWritten, read_batch, write_batches
    from trace_eval.judges.chat.bounds import shortened
    from trace_eval.judges.chat.calls import Call, CallOutcome
    from trace_eval.judges.chat.estimate import CostEstimate, total
    from trace_eval.judges.chat.judge import ChatJudge
    from trace_eval.judges.chat.message import AudioPart, Message, Part, Text, sent_record
    from trace_eval.judges.chat.ollama import OllamaClient
    from trace_eval.judges.chat.openai import OpenAIClient
    from trace_eval.judges.chat.prices import FREE, Price, find_price, sum_usage
    from trace_eval.judges.chat.replies import ReplyCache, StoredReply, reply_key
    from trace_eval.judges.chat.reply_json import ReplyError, after_thinking, last_object, storable
    from trace_eval.judges.chat.scripted import ScriptedClient
    from trace_eval.judges.chat.tokens import typical_tokens, upper_tokens
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "FREE",
    "AudioPart",
    "BatchWritten",
    "Call",
    "CallFailed",
    "CallOutcome",
    "ChatClient",
    "ChatJudge",
    "CostEstimate",
    "Message",
    "OllamaClient",
    "OpenAIClient",
    "Part",
    "Price",
    "Reply",
    "ReplyCache",
    "ReplyError",
    "Request",
    "ScriptedClient",
    "StoredReply",
    "Text",
    "Unusable",
    "after_thinking",
    "find_price",
    "last_object",
    "read_batch",
    "reply_key",
    "sent_record",
    "shortened",
    "storable",
    "sum_usage",
    "total",
    "typical_tokens",
    "upper_tokens",
    "write_batches",
]
