-- index_capitals: a text in which plurals of words in capitals are singular, and words have no possessive s: QAs, OSes,
-- 2FAs, LLM's and the agent's.
CREATE OR REPLACE FUNCTION index_capitals(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(regexp_replace(p_text COLLATE pg_c_utf8, '\M[''’＇][sSｓＳ]\M', '', 'g'),
    '\m(?:([0-9]*[A-Z][A-Z0-9]+|[0-9]+[A-Z])s|([A-Z0-9]*[A-Z0-9][SXZ])es)\M', '\1\2', 'g');
