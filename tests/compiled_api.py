"""An API process with its templates compiled, from which tests fork theirs: compiling takes a third of a second.

It has also read the sources from which Sanic makes its own.
"""

import inspect
from functools import cache

from sanic import Sanic
from sanic.http import Http
from sanic.server import HttpProtocol
from sanic.touchup.schemes import base

import services.api.app
from services.api.documents.rendering import documents
from services.api.pages.site import fixed_pages
from services.board.links import Links
from services.contract.contacts import Contacts

__all__ = ["services"]
links, contacts = Links("http://127.0.0.1"), Contacts("mailto:board@board.example", "mailto:security@board.example")
documents(links, contacts)
fixed_pages(links, contacts)
read = cache(inspect.getsource)
vars(base)["getsource"] = read
for kind in (Sanic, Http, HttpProtocol):
    for method in kind.__touchup__:
        read(getattr(kind, method))
