"""/.well-known/api-catalog (interface 13.6): a set of links as RFC 9264 has it, with the members of RFC 9727."""

from tests.web import Web

PATH = "/.well-known/api-catalog"


def test_it_is_a_set_of_links_to_one_interface(web: Web) -> None:
    document = web.get(PATH).json
    # linkset should be the only member, and each relation a list of targets (RFC 9264, 4.2)
    assert list(document) == ["linkset"]
    catalog, interface = document["linkset"]
    assert catalog == {"anchor": f"{web.url}{PATH}", "item": [{"href": f"{web.url}/api"}]}
    assert interface.pop("anchor") == f"{web.url}/api"
    assert {relation: [target["href"] for target in targets] for relation, targets in interface.items()} == {
        "service-desc": [f"{web.url}/openapi.json"],
        "service-doc": [f"{web.url}/skill.md"],
        "service-meta": [f"{web.url}/effects.json"],
        "status": [f"{web.url}/api/health"],
    }
    # each target should be of the type that its link states
    for target in (target for targets in interface.values() for target in targets):
        answer = web.get(target["href"].removeprefix(web.url))
        assert (answer.status, answer.headers["Content-Type"].partition(";")[0]) == (200, target["type"])


def test_its_header_names_the_relation(web: Web) -> None:
    for method in ("GET", "HEAD"):
        assert web.call(method, PATH).headers["Link"] == f'<{web.url}{PATH}>; rel="api-catalog"'
