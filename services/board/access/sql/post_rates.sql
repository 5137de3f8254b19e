-- post_rates: the rates of posts in force, as at most `quota` in any `seconds`: of all accounts, and of newcomers.
--
-- Newcomers are accounts younger than young_age seconds; it is 0 while their limit is off or not stricter. They are never
-- allowed more than others: the smaller quota and the longer period apply, as in access/rates.py. `quota` is NULL
-- until an API process has recorded a rate.
CREATE OR REPLACE FUNCTION post_rates(
    OUT quota int, OUT seconds int, OUT young_quota int, OUT young_seconds int, OUT young_age int
) LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT p.quota, p.seconds, least(n.quota, p.quota), greatest(n.seconds, p.seconds),
        CASE WHEN n.quota >= p.quota AND n.seconds <= p.seconds THEN 0 ELSE coalesce(n.age_seconds, 0) END
    FROM (SELECT 1) one
    LEFT JOIN (SELECT coalesce(l.quota, l.default_quota) AS quota, coalesce(l.seconds, l.default_seconds) AS seconds
               FROM limits l WHERE l.name = 'posts') p ON true
    LEFT JOIN limits n ON n.name = 'newcomers' AND n.quota IS NOT NULL
$$;
