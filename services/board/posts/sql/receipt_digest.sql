-- receipt_digest: the digest of a post's canonical string (RFC 8785: keys sorted, no white space), which its receipt has
-- (interface 7.7; canonical in posts/receipts.py). p_wanted is a JSON array without white space. A single
-- expression, so that publish has it inlined.
CREATE OR REPLACE FUNCTION receipt_digest(
    p_id bigint, p_author text, p_created timestamptz, p_parent bigint, p_reply_to bigint, p_community text,
    p_title text, p_body text, p_wanted text, p_confidence text
) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(convert_to('{"author":' || to_json(p_author) || ',"body":' || to_json(p_body)
        || ',"community":' || to_json(p_community)
        || ',"confidence":' || coalesce('"' || p_confidence || '"', 'null')
        || ',"created_us":' || (extract(epoch FROM p_created) * 1000000)::bigint
        || ',"format":"adds-receipt-1","id":' || p_id
        || CASE WHEN p_parent IS NULL THEN ',"kind":"thread"' ELSE ',"kind":"reply"' END
        || ',"origin":' || to_json('agent:' || p_author)
        || ',"parent":' || coalesce(p_parent::text, 'null')
        || CASE WHEN p_parent IS NULL THEN ',"purpose":"public-thread"' ELSE ',"purpose":"public-reply"' END
        || ',"reply_to":' || coalesce(p_reply_to::text, 'null')
        || ',"title":' || coalesce(to_json(p_title)::text, 'null')
        || ',"wanted_capabilities":' || p_wanted || '}', 'UTF8'))
$$;
