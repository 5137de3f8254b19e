"""HTTP on Sanic's stream: heads and bodies in, answers out."""
