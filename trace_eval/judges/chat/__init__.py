"""The judge over a chat model: its steps, its calls and their replies, and the clients below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.chat.base import CallFailed, ChatClient, Reply, Request, Unusable
    from trace_eval.judges.chat.batch import BatchWritten, read_batch, write_batches
    from trace_eval.judges.chat.bounds import shortened
    from trace_eval.judges.chat.calls import Backend, Call, CallOutcome
    from trace_eval.judges.chat.connection import check_proxies
    from trace_eval.judges.chat.estimate import CostEstimate, total
    from trace_eval.judges.chat.judge import LLMJudge
    from trace_eval.judges.chat.message import AudioPart, Message, Part, Text, sent_record
    from trace_eval.judges.chat.ollama import OllamaClient
    from trace_eval.judges.chat.openai import OpenAIClient
    from trace_eval.judges.chat.orders import orders_of
    from trace_eval.judges.chat.prices import FREE, Price, Spending, find_price, sum_usage
    from trace_eval.judges.chat.replies import ReplyCache, StoredReply, reply_key
    from trace_eval.judges.chat.reply_json import ReplyError, after_thinking, last_object, storable
    from trace_eval.judges.chat.scripted import ScriptedClient
    from trace_eval.judges.chat.tokens import typical_tokens, upper_tokens
    from trace_eval.judges.chat.view import AnswerForm, AskedQuestion, Question, Replies, View
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "FREE",
    "AnswerForm",
    "AskedQuestion",
    "AudioPart",
    "Backend",
    "BatchWritten",
    "Call",
    "CallFailed",
    "CallOutcome",
    "ChatClient",
    "CostEstimate",
    "LLMJudge",
    "Message",
    "OllamaClient",
    "OpenAIClient",
    "Part",
    "Price",
    "Question",
    "Replies",
    "Reply",
    "ReplyCache",
    "ReplyError",
    "Request",
    "ScriptedClient",
    "Spending",
    "StoredReply",
    "Text",
    "Unusable",
    "View",
    "after_thinking",
    "check_proxies",
    "find_price",
    "last_object",
    "orders_of",
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
