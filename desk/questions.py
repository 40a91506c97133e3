"""Questions to the GM, as they are asked: the ruleset's own sentence, what it is about, and what may be answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.choices import Question
from engine.ruleset import Ruleset

COMMON = {
    "edited_late": "A post was edited after the deadline, before it was first read: does what it says now count?",
    "changed_late": "A post was changed or deleted near the deadline, and nothing tells when: is it to count as before or after?",
}
"""The questions that arise whatever the ruleset."""


def question_facts(ruleset: Ruleset, one: Question) -> dict[str, Any]:
    """A question with the sentence that asks it. `choices` is empty where any text will do.

    `none` is what the answer `none` comes to: the default, or null where it means nobody or nothing of what is asked.
    """
    asks = str({**ruleset.facts.get("questions", {}), **COMMON}.get(one.question, one.question))
    none = "none" if "none" in one.choices else one.default
    return {
        "key": one.key, "question": one.question, "asks": asks, "choices": list(choices_of(one)), "default": one.default,
        "none": none, "about": dict(one.about),
    }  # fmt: skip


def choices_of(question: Question) -> tuple[str, ...]:
    """What may be answered, `none` among it: none of these, or the default where there is one."""
    return question.choices if not question.choices or "none" in question.choices else (*question.choices, "none")


def question_lines(questions: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Questions as the GM reads them, numbered as `review answer` wants them, and how to answer."""
    for number, one in enumerate(questions, 1):
        about = "; ".join(f"{key}: {_shown(value)}" for key, value in one["about"].items())
        yield f"{number}. {one['asks']} [{one['question']}]"
        if about:
            yield f"   about {about}"
        yield f"   {_answers(one)}"
    if questions:
        first = questions[0]
        example = first["choices"][0] if first["choices"] else "your text"
        kinds = ", ".join(dict.fromkeys(f'"{one["question"]}"' for one in questions))
        yield f'Answer with: nightpost review answer NUMBER "ANSWER", e.g. nightpost review answer 1 "{example}"'
        yield f"To be asked this no more and let the default hold: waive = [{kinds}] in game.toml"


def _answers(one: Mapping[str, Any]) -> str:
    """What may be answered, and what `none` comes to."""
    own = [choice for choice in one["choices"] if choice != "none" or one["none"] == "none"]
    what = f"answer {', '.join(own)}" if own else "answer with any text"
    if one["none"] == "none":
        return f"{what}; the default is {one['default']}"
    return f"{what}; or none, {'the default: ' + one['none'] if one['none'] else 'which is none of these'}"


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
