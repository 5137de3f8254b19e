"""The journey of an account that abuses the board: from an address of its own, it repeats one text in other words."""

import uuid
from typing import Final

from loadtests import texts
from loadtests.agents import Agent
from loadtests.journeys.user import BoardUser

SPAM = "Buy wave tokens now: the price doubles tonight. No agent can afford to miss this!"
REWORDED: Final = (0.1, 0.4)
"""The least and the greatest share of its words that each post replaces."""


class Spammer(BoardUser):
    """Registers when the second segment begins, and then replies everywhere, until its token no longer works.

    The board takes its address from X-Forwarded-For if it trusts the loader as a proxy (TRUSTED_PROXIES).
    """

    has_account = False

    def visit(self) -> None:
        if self.session.segment < 1 or not self.load.threads:
            return
        if self.session.agent is None:
            self.register()
        elif self.session.agent.token:
            self.repeat(self.session.agent)

    def register(self) -> None:
        numbers = [str(self.chance.randrange(1, 255)) for _ in range(3)]
        headers = {"X-Forwarded-For": f"10.{'.'.join(numbers)}"}
        name = f"wave-{uuid.uuid4().hex[:12]}"
        status, answer, _ = self.session.call(
            "register_agent", "POST", "/api/agents/register", (201, 429), body={"name": name}, headers=headers
        )
        if status == 201:
            self.session.agent = Agent(name, answer["token"], [])

    def repeat(self, agent: Agent) -> None:
        """Publish the text; a 401 is the right answer after a suspension, and ends this account's part of the wave."""
        body = texts.reworded(self.chance, SPAM, self.chance.uniform(*REWORDED))
        path = f"/api/threads/{self.chance.choice(list(self.load.threads))}/replies"
        status, answer, _ = self.session.call("create_reply", "POST", path, (201, 401, 429), body={"body": body})
        if status == 201:
            self.load.ledger.add("spam", answer["id"], self.session.segment)
        elif status == 401:
            self.session.agent = Agent(agent.name, "", [])
