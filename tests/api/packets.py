"""Requests as bytes: those that RFC 9112 allows, and those that it forbids and some parsers take."""

LINE = b"POST /api/agents/register HTTP/1.1\r\n"
HOST = b"Host: x\r\n"
JSON = b"Content-Type: application/json\r\n"
CHUNKED = LINE + HOST + JSON + b"Transfer-Encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"
PAIR = b"2\r\n{}\r\n"


def get(*fields: bytes, line: bytes = b"GET /api/threads HTTP/1.1", host: bytes = HOST) -> bytes:
    """A request without a body."""
    return b"%b\r\n%b%b\r\n" % (line, host, b"".join(field + b"\r\n" for field in fields))


def post(*fields: bytes, body: bytes = b"{}", line: bytes = LINE) -> bytes:
    """A request with a body, framed by its fields only."""
    return b"%b%b%b%b\r\n%b" % (line, HOST, JSON, b"".join(field + b"\r\n" for field in fields), body)


def chunks(*lines: bytes) -> bytes:
    """A request whose body is these bytes, in chunks."""
    return CHUNKED + b"".join(lines)


# Every character that no field name may have, except the colon that ends it.
NOT_IN_NAMES = {
    number: bytes([number]) for number in [0, 1, 9, 11, 12, 13, 32, 127, 128, 160, 255, *b'"(),/;<=>?@[]{}\\']
}
NOT_IN_VALUES = [0, 10, 11, 12, 13]
LENGTHS = {
    "signed": b"+2", "negative": b"-2", "hexadecimal": b"0x2", "with an underscore": b"1_0",
    "in Arabic digits": "٢".encode(),
    "in wide digits": "２".encode(), "with a fraction": b"2.0", "in words": b"two", "empty": b"", "a list": b"2, 2",
    "two numbers": b"2 2", "after NBSP": b"\xa02", "after NBSP in UTF-8": b"\xc2\xa02", "before NBSP": b"2\xc2\xa0",
    "after NEL": b"\xc2\x852", "with an exponent": b"2e0", "quoted": b'"2"', "with a comma": b"2,",
}  # fmt: skip
CODINGS = {
    "unknown": b"xchunked", "twice": b"chunked, chunked", "after gzip": b"gzip, chunked",
    "before gzip": b"chunked, gzip",
    "identity": b"identity", "before identity": b"chunked, identity", "empty": b"", "quoted": b'"chunked"',
    "after NBSP": b"\xa0chunked", "after NBSP in UTF-8": b"\xc2\xa0chunked", "before NBSP": b"chunked\xc2\xa0",
    "after a comma": b", chunked", "before a comma": b"chunked,", "with a parameter": b"chunked;q=1", "cut": b"chunke",
    "with the long s": "chunk\u017fed".encode(),
}  # fmt: skip
HOSTS = {
    "a space": b"x y", "a path": b"x/y", "a user": b"me@x", "a list": b"x, y", "a bad port": b"x:8o",
    "two ports": b"x:1:2",
    "NBSP": b"\xa0x", "UTF-8": "é".encode(), "an open bracket": b"[::1", "a scheme": b"http://x",
}  # fmt: skip
# Heads that are refused.
BAD_HEADS: dict[str, bytes] = {
    "no host": get(host=b""),
    "two hosts": get(b"Host: y"),
    "one host twice": get(b"host: x"),
    "no host but a body": LINE + b"Content-Length: 2\r\n\r\n{}",
    "two hosts in HTTP/1.0": get(b"Host: y", line=b"GET /api/threads HTTP/1.0"),
    "a folded line": get(b"X: a", b" b"),
    "a line folded with a tab": get(b"X: a", b"\tb"),
    "a folded first line": b"GET /api/threads HTTP/1.1\r\n Host: x\r\n\r\n",
    "a folded length": post(b"Content-Length:", b" 2"),
    "a space before the colon of the coding": post(b"Transfer-Encoding : chunked", body=PAIR + END),
    "a tab before the colon of the coding": post(b"Transfer-Encoding\t: chunked", body=PAIR + END),
    "a space before the colon of the length": post(b"Content-Length : 2"),
    "a space before the colon of the host": get(host=b"Host : x\r\n"),
    "a space before a name": b"GET /api/threads HTTP/1.1\r\nHost: x\r\n Content-Length: 2\r\n\r\n{}",
    "no name": get(b": a"),
    "no colon": get(b"nothing"),
    "a line feed between fields": b"GET /api/threads HTTP/1.1\r\nHost: x\nX: a\r\n\r\n",
    "a line feed after the line": b"GET /api/threads HTTP/1.1\nHost: x\r\n\r\n",
    "a line feed before the end": b"GET /api/threads HTTP/1.1\r\nHost: x\n\r\n\r\n",
    "a carriage return between fields": b"GET /api/threads HTTP/1.1\r\nHost: x\rX: a\r\n\r\n",
    "a carriage return in the line": b"GET /api/threads HTTP/1.1\r\r\nHost: x\r\n\r\n",
    "a length after a line feed": get(b"X: a\nContent-Length: 2"),
    "the same length twice": post(b"Content-Length: 2", b"Content-Length: 2"),
    "two lengths": post(b"Content-Length: 2", b"content-length: 3"),
    "a length and a coding": post(b"Content-Length: 2", b"Transfer-Encoding: chunked", body=PAIR + END),
    "a coding and a length": post(b"Transfer-Encoding: chunked", b"Content-Length: 2", body=PAIR + END),
    "two codings": post(b"Transfer-Encoding: chunked", b"transfer-encoding: chunked", body=PAIR + END),
    "a coding in HTTP/1.0": post(b"Transfer-Encoding: chunked", line=LINE.replace(b"1.1", b"1.0"), body=END),
    "two spaces in the line": get(line=b"GET  /api/threads HTTP/1.1"),
    "a tab in the line": get(line=b"GET\t/api/threads HTTP/1.1"),
    "a space after the line": get(line=b"GET /api/threads HTTP/1.1 "),
    "a space before the line": get(line=b" GET /api/threads HTTP/1.1"),
    "an empty line first": b"\r\n" + get(),
    "a vertical tab in the line": get(line=b"GET /api/threads\x0bHTTP/1.1"),
    "NUL in the target": get(line=b"GET /api/\x00threads HTTP/1.1"),
    "DEL in the target": get(line=b"GET /api/\x7fthreads HTTP/1.1"),
    "NBSP in the target": get(line=b"GET /api/\xa0threads HTTP/1.1"),
    "a fragment": get(line=b"GET /api/threads#x HTTP/1.1"),
    "HEAD in other letters": get(line=b"Head /api/threads HTTP/1.1"),
    "a name in the method": get(line=b"GE(T) /api/threads HTTP/1.1"),
    "NUL in the method": get(line=b"GE\x00T /api/threads HTTP/1.1"),
    "DEL in the method": get(line=b"GE\x7fT /api/threads HTTP/1.1"),
    "a small protocol": get(line=b"GET /api/threads http/1.1"),
    "HTTP/1.2": get(line=b"GET /api/threads HTTP/1.2"),
    "HTTP/2.0": get(line=b"GET /api/threads HTTP/2.0"),
    "HTTP/01.1": get(line=b"GET /api/threads HTTP/01.1"),
    "HTTP/1.1 in other digits": get(line="GET /api/threads HTTP/1.１".encode()),
    "no protocol": get(line=b"GET /api/threads"),
    "HTTP/0.9": get(line=b"GET /api/threads HTTP/0.9"),
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a word": b"garbage\r\n\r\n",
    "nothing": b"\r\n\r\n",
    "no URL": get(line=b"GET  HTTP/1.1"),
    "no slash": get(line=b"GET api/threads HTTP/1.1"),
    "an authority": get(line=b"CONNECT example.com:443 HTTP/1.1"),
    "a space in the URL": get(line=b"GET /api/threads?community=two words HTTP/1.1"),
    "UTF-8 in the path": get(line="GET /api/agents/é HTTP/1.1".encode()),
    "UTF-8 in the query": get(line="GET /api/threads?author=é HTTP/1.1".encode()),
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    **{f"byte {number} in a name": get(b"X%cY: a" % number) for number in NOT_IN_NAMES},
    **{f"byte {number} in a value": get(b"X: a%cb" % number) for number in NOT_IN_VALUES},
    **{f"a length {how}": post(b"Content-Length: " + length) for how, length in LENGTHS.items()},
    **{f"a coding {how}": post(b"Transfer-Encoding: " + name, body=PAIR + END) for how, name in CODINGS.items()},
    **{f"{what} in the host": get(host=b"Host: %b\r\n" % host) for what, host in HOSTS.items()},
}
# Bodies that are refused, after a head that is right.
BAD_CHUNKS: dict[str, bytes] = {
    "a hexadecimal prefix": chunks(b"0x2\r\n{}\r\n", END),
    "a sign": chunks(b"+2\r\n{}\r\n", END),
    "a minus": chunks(b"-2\r\n{}\r\n", END),
    "an underscore": chunks(b"0_2\r\n{}\r\n", END),
    "Arabic digits": chunks("٢".encode(), b"\r\n{}\r\n", END),
    "wide digits": chunks("２".encode(), b"\r\n{}\r\n", END),
    "no digits": chunks(b"\r\n{}\r\n", END),
    "letters": chunks(b"g\r\n{}\r\n", END),
    "a space before the size": chunks(b" 2\r\n{}\r\n", END),
    "a space after the size": chunks(b"2 \r\n{}\r\n", END),
    "NBSP before the size": chunks(b"\xc2\xa02\r\n{}\r\n", END),
    "a vertical tab after the size": chunks(b"2\x0b\r\n{}\r\n", END),
    "a line feed after the size": chunks(b"2\n{}\r\n", END),
    "a carriage return after the size": chunks(b"2\r{}\r\n", END),
    "two line breaks after the size": chunks(b"2\r\r\n{}\r\n", END),
    "another two bytes at the end": chunks(b"2\r\n{}XX", END),
    "two line feeds at the end": chunks(b"2\r\n{}\n\n", END),
    "no line break at the end": chunks(b"2\r\n{}", END),
    "a chunk that is longer than its size": chunks(b"1\r\n{}\r\n", END),
    "a line feed in an extension": chunks(b"2;a\nb\r\n{}\r\n", END),
    "NUL in an extension": chunks(b"2;a\x00\r\n{}\r\n", END),
    "a comma before an extension": chunks(b"2,a\r\n{}\r\n", END),
    "a size of seventeen digits": chunks(b"1" * 17 + b"\r\n{}\r\n", END),
    "an extension without end": chunks(b"2;" + b"a" * 500 + b"\r\n{}\r\n", END),
    "a trailer": chunks(PAIR, b"0\r\nX: y\r\n\r\n"),
    "line feeds at the end of the body": chunks(PAIR, b"0\n\n"),
    "other bytes at the end of the body": chunks(PAIR, b"0\r\nXX"),
}
# What RFC 9112 allows.
GOOD: dict[str, bytes] = {
    "a read": get(),
    "an empty host": get(host=b"Host:\r\n"),
    "a host with a port": get(host=b"host:\t board.example:8000 \r\n"),
    "an address as the host": get(host=b"HOST: [::1]:8000\r\n"),
    "white space around a value": get(b"X:\t  a b\tc \t"),
    "a control character in a value": get(b"X: \x1b[31m\x7f"),
    "a value in UTF-8": get("User-Agent: bücher".encode()),
    "an empty value": get(b"X:", b"Y: "),
    "every sign in a name": get(b"!#$%&'*+-.^_`|~9a: b"),
    "signs in the target": get(line=b'GET /api/threads?x="<>[]^`{|}\\ HTTP/1.1'),
    "an absolute target": get(line=b"GET http://x/api/threads HTTP/1.1"),
    "HTTP/1.0": b"GET /api/threads HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    "HEAD": get(line=b"HEAD /api/threads HTTP/1.1"),
    "OPTIONS": get(line=b"OPTIONS /api/threads HTTP/1.1"),
    "an unknown path": get(line=b"GET /nowhere HTTP/1.1"),
    "an unknown method": get(line=b"BREW /api/threads HTTP/1.1"),
    "an upgrade": get(b"Upgrade: websocket", b"Sec-WebSocket-Version: 13"),
    "a body": post(b"Content-Length: 2"),
    "an empty body": post(b"Content-Length: 0", body=b""),
    "zeros before the length": post(b"CONTENT-LENGTH: 0002"),
    "white space after the length": post(b"Content-Length:2 \t"),
    "a body that nobody reads": post(b"Content-Length: 2", line=b"POST /nowhere HTTP/1.1\r\n"),
    "chunks": chunks(b"1\r\n{\r\n", b"1\r\n}\r\n", END),
    "chunks that nobody reads": chunks(PAIR, END).replace(b"/api/agents/register", b"/nowhere"),
    "no chunks": chunks(END),
    "Chunked": post(b"transfer-encoding:  Chunked ", body=PAIR + END),
    "large digits": chunks(b"A\r\n{        }\r\n", END),
    "zeros before the size": chunks(b"0002\r\n{}\r\n", b"000\r\n\r\n"),
    "an extension": chunks(b'2;a=b;c="d e"\r\n{}\r\n', b"0;x\r\n\r\n"),
    "white space before an extension": chunks(b"2 ;a\r\n{}\r\n", END),
    "a read with a body": post(b"Content-Length: 2", line=b"GET /api/threads HTTP/1.1\r\n"),
    "an absolute target without a path": get(line=b"GET http://x HTTP/1.1"),
    "an absolute target with a query only": get(line=b"OPTIONS http://x?y HTTP/1.1"),
    "an unknown method of an absolute target": get(b"Accept: text/html", line=b"ET http://x HTTP/1.1"),
}
