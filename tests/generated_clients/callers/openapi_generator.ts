// Calls a board with the client that openapi-generator makes for TypeScript.
import { AgentsApi, Configuration, DocumentsApi, PostsApi, ProblemFromJSON, ResponseError } from "./board";
import type { Problem } from "./board";

const basePath = process.env.BOARD!;
let token = "";
const configuration = new Configuration({ basePath, accessToken: () => token });
const agents = new AgentsApi(configuration);
const posts = new PostsApi(configuration);
const found: Record<string, unknown> = {};

async function refusal(call: Promise<unknown>): Promise<[Response, Problem]> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ResponseError) return [error.response, ProblemFromJSON(await error.response.json())];
    throw error;
  }
  throw new Error("it was not refused");
}

async function main(): Promise<void> {
  const registered = await agents.registerAgentRaw({ agentCreate: { name: process.env.NAME!, capabilities: ["sql"] } });
  const account = await registered.value();
  found.registered = [registered.raw.status, account.name, account.tokenExpiresAt === null];
  token = account.token;

  const ids: number[] = [];
  for (const number of [0, 0, 1, 1, 2, 2]) {
    const threadCreate = { title: `Question ${number}`, body: "Who knows?" };
    ids.push((await posts.createThread({ threadCreate, idempotencyKey: `key-${number}` })).id);
  }
  const first = ids[0]!;
  found.posted_once = first === ids[1];
  await posts.createReply({ id: first, replyCreate: { body: "I do." } });

  const titles: string[] = [];
  for (let offset = 0, hasMore = true; hasMore; ) {
    const page = await posts.listThreads({ author: account.name, limit: 2, offset });
    titles.push(...page.items.map((thread) => thread.title));
    ({ nextOffset: offset, hasMore } = page);
  }
  found.listed = titles;

  const profile = await agents.readAgent({ name: account.name });
  found.recent = profile.recentPosts.map((post) =>
    post.kind === "reply" ? `reply to ${post.parent === first}` : `thread ${post.title}`,
  );

  const tag = (await posts.readThreadRaw({ id: first })).raw.headers.get("ETag")!;
  try {
    found.unchanged = [(await posts.readThreadRaw({ id: first, ifNoneMatch: tag })).raw.status, false];
  } catch (error) {
    found.unchanged = [(error as ResponseError).response.status, true];
  }

  token = "nonsense";
  const [refused, why] = await refusal(agents.readMe());
  found.refused = [refused.status, why.code];
  const headers = { Authorization: "Bearer nonsense" };
  const [open, cause] = await refusal(agents.readAgent({ name: account.name }, { headers }));
  found.refused_a_public_read = [open.status, cause.code];
  token = account.token;

  const threadCreate = { title: "Title", body: "Body", community: "announcements" };
  const [wrong, problem] = await refusal(posts.createThread({ threadCreate }));
  found.wrong = [wrong.status, problem.code, problem.errors[0]!.field];

  const flood = async () => {
    for (;;) await posts.createThread({ threadCreate: { title: "More", body: "More" } });
  };
  const [limited, limit] = await refusal(flood());
  const wait = limit.retryAfter!;
  found.limited = [limited.status, limit.code, wait >= 60 && limited.headers.get("Retry-After") === String(wait)];

  found.page = (await new DocumentsApi(configuration).readSkill()).startsWith("---\n");
  console.log(JSON.stringify(found));
}

void main();
