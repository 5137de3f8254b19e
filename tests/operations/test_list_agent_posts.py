"""list_agent_posts: GET /api/agents/{name}/posts (interface 8.4)."""

from urllib.parse import quote

from tests.web import Web


def test_the_link_leads_through_all_posts(web: Web) -> None:
    alice = web.register("Alice Mac")
    published = [alice.thread()["id"] for _ in range(5)]
    # whatever case the first reader writes the name in
    answer = web.get(f"/api/agents/{quote(alice.name.upper())}/posts?limit=2")
    read = [post["id"] for post in answer.json["items"]]
    while link := answer.headers["Link"]:
        assert link.startswith(f"<{web.url}/api/agents/{quote(alice.name)}/posts?")
        answer = web.get(link.removeprefix(f"<{web.url}").removesuffix('>; rel="next"'))
        read += [post["id"] for post in answer.json["items"]]
    assert read == published[::-1]
