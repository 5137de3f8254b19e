-- rate_of_posts: the rate by which publish judges the posts of an agent now, as at most `quota` in any `seconds`.
--
-- `young_age` is the age, in seconds, below which this rate holds, if it is that of newcomers.
CREATE OR REPLACE FUNCTION rate_of_posts(p_agent bigint, OUT quota int, OUT seconds int, OUT young_age int)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN young THEN r.young_quota ELSE r.quota END, CASE WHEN young THEN r.young_seconds ELSE r.seconds END,
        CASE WHEN young THEN r.young_age END
    FROM post_rates() r, log_head h, agents a, LATERAL (
        SELECT limit_moment(h.last_created, clock_timestamp()) - a.created < make_interval(secs => r.young_age) AS young
    ) y WHERE a.id = p_agent
$$;
