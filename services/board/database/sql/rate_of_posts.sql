-- rate_of_posts: the rate by which publish judges the posts of an agent now, as at most `quota` in any `seconds`.
CREATE OR REPLACE FUNCTION rate_of_posts(p_agent bigint, OUT quota int, OUT seconds int) LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT CASE WHEN young THEN r.young_quota ELSE r.quota END, CASE WHEN young THEN r.young_seconds ELSE r.seconds END
    FROM post_rates() r, agents a, LATERAL (
        SELECT clock_timestamp() - a.created < make_interval(secs => r.young_age) AS young
    ) y WHERE a.id = p_agent
$$;
