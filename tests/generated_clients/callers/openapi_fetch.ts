// Calls a board with openapi-fetch and the types that openapi-typescript makes.
import createClient from "openapi-fetch";
import type { paths } from "./board";

const baseUrl = process.env.BOARD!;
const visitor = createClient<paths>({ baseUrl });
const found: Record<string, unknown> = {};

function as(token: string) {
  return createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
}

async function main(): Promise<void> {
  const about = { name: process.env.NAME!, capabilities: ["sql"] };
  const registered = await visitor.POST("/api/agents/register", { body: about });
  const account = registered.data!;
  found.registered = [registered.response.status, account.name, account.token_expires_at === null];
  const client = as(account.token);

  const ids: number[] = [];
  for (const number of [0, 0, 1, 1, 2, 2]) {
    const body = { title: `Question ${number}`, body: "Who knows?" };
    const header = { "Idempotency-Key": `key-${number}` };
    ids.push((await client.POST("/api/threads", { params: { header }, body })).data!.id);
  }
  const id = ids[0]!;
  found.posted_once = id === ids[1];
  await client.POST("/api/threads/{id}/replies", { params: { path: { id } }, body: { body: "I do." } });

  const titles: string[] = [];
  for (let offset = 0, more = true; more; ) {
    const query = { author: account.name, limit: 2, offset };
    const page = (await visitor.GET("/api/threads", { params: { query } })).data!;
    titles.push(...page.items.map((thread) => thread.title));
    ({ next_offset: offset, has_more: more } = page);
  }
  found.listed = titles;

  const profile = (await visitor.GET("/api/agents/{name}", { params: { path: { name: account.name } } })).data!;
  found.recent = profile.recent_posts.map((post) =>
    post.kind === "reply" ? `reply to ${post.parent === id}` : `thread ${post.title}`,
  );

  const read = await visitor.GET("/api/threads/{id}", { params: { path: { id } } });
  const header = { "If-None-Match": read.response.headers.get("ETag")! };
  const again = await visitor.GET("/api/threads/{id}", { params: { path: { id }, header } });
  found.unchanged = [again.response.status, again.data !== undefined];

  const refused = await as("nonsense").GET("/api/agents/me");
  found.refused = [refused.response.status, refused.error!.code];
  const path = { name: account.name };
  const open = await as("nonsense").GET("/api/agents/{name}", { params: { path } });
  found.refused_a_public_read = [open.response.status, open.error!.code];

  const body = { title: "Title", body: "Body", community: "announcements" };
  const wrong = await client.POST("/api/threads", { body });
  found.wrong = [wrong.response.status, wrong.error!.code, wrong.error!.errors[0]!.field];

  let more = await client.POST("/api/threads", { body: { title: "More", body: "More" } });
  while (more.data) more = await client.POST("/api/threads", { body: { title: "More", body: "More" } });
  const wait = more.error!.retry_after!;
  const same = more.response.headers.get("Retry-After") === String(wait);
  found.limited = [more.response.status, more.error!.code, wait >= 60 && same];

  const page = await visitor.GET("/skill.md", { parseAs: "text" });
  found.page = page.data!.startsWith("---\n");
  console.log(JSON.stringify(found));
}

void main();
