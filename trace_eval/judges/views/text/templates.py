"""Prompts as Jinja blocks: the package's, and a user's file that replaces some."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, StrictUndefined, Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from blueprints import UserError


class BlockTemplates:
    """The blocks of a template file of ours, some of which the user's file replaces.

    Raises:
        UserError: the user's file cannot be read or is not valid.
    """

    def __init__(self, own: Path, user: Path | None, blocks: Sequence[str]) -> None:
        self._sources = [own.read_text(encoding="utf-8")]
        if user:
            try:
                self._sources.append(user.read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError) as error:
                raise UserError(
                    f"template {user}: cannot be read ({error}); check the path"
                ) from error
        self._blocks: dict[str, tuple[Template, str]] = {}
        for number, source in enumerate(self._sources):
            where = str(user) if number else own.name
            template = _compile(source, where, of_user=number > 0)
            unknown = set(template.blocks) - set(blocks)
            if unknown or not template.blocks:
                raise UserError(
                    f"{where}: blocks {sorted(unknown) or 'are missing'}; define one or"
                    f" more of {', '.join(blocks)}"
                )
            self._blocks |= dict.fromkeys(template.blocks, (template, where))

    def render(self, block: str, variables: Mapping[str, object]) -> str:
        """Render a block.

        Raises:
            UserError: a user's block asks for what it is not given.
        """
        template, where = self._blocks[block]
        context = template.new_context(dict(variables))
        try:
            return "".join(template.blocks[block](context)).strip()
        except TemplateError as error:
            raise UserError(f"template {where}, block {block}: {error}") from error

    def sha256(self, *more: str) -> str:
        """Return the identity of the files' texts, and of others that they print."""
        texts = "\x00".join(self._sources + list(more))
        return hashlib.sha256(texts.encode()).hexdigest()


@lru_cache(maxsize=8)
def _compile(source: str, where: str, of_user: bool) -> Template:
    # Only a user's file needs the sandbox, which looks at every name that a template
    # uses.
    kind = ImmutableSandboxedEnvironment if of_user else Environment
    # No autoescape: prompts are no HTML; outside text is made harmless before it gets
    # here.
    env = kind(autoescape=False, undefined=StrictUndefined)
    try:
        return env.from_string(source)
    except TemplateError as error:
        raise UserError(
            f"template {where}: {error}; see docs/how-to/language-models.md"
        ) from error
