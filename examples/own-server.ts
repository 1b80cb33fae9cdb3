// The HTTP service inside a server of your own.
//
// `createHandler` is a function from `Request` to `Response`. It fits any server that speaks these: Hono, Bun, Deno, a
// worker, or node:http with a few lines as here. `startServer` is faster if the service has a port to itself.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSkillSearch } from 'skill-discovery';
import { openAccess } from 'skill-discovery/access';
import { createHandler } from 'skill-discovery/http';

/** The service answers below this path; everything else is yours. */
const PREFIX = '/skills-api';

function toRequest({ method = 'GET', headers }: IncomingMessage, path: string): Request {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return new Request(`http://localhost${path}`, { method, headers: pairs });
}

const folder = await mkdtemp(join(tmpdir(), 'skill-discovery-server-'));
const access = openAccess({ state: join(folder, 'access.db'), anonymous: { daily: 2 } });
try {
  // A long-lived server follows a file instead: followCatalogue({ database: 'skills.db' }).
  await using search = await openSkillSearch({
    skills: [
      { name: 'pdf-forms', description: 'Fills in PDF forms.' },
      { name: 'plant-care', description: 'Waters the plants on time.' },
    ],
  });
  const handle = createHandler(search, { access, publicUrl: `https://example.org${PREFIX}` });

  const server = createServer(async (request, response) => {
    const url = request.url ?? '/';
    if (!url.startsWith(`${PREFIX}/`)) {
      response.end('a page of my own\n');
      return;
    }
    // The address decides whose quota a request without a key uses.
    const answer = await handle(toRequest(request, url.slice(PREFIX.length)), {
      address: request.socket.remoteAddress,
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  console.log((await (await fetch(`${origin}/`)).text()).trim());
  for (const q of ['pdf', 'plants', 'forms']) {
    const answer = await fetch(`${origin}${PREFIX}/api/v1/skills/search?q=${q}`);
    const body = (await answer.json()) as { data?: { skills: { name: string; skillUrl: string }[] } };
    const left = answer.headers.get('x-ratelimit-daily-remaining');
    const [first] = body.data?.skills ?? [];
    console.log(first === undefined ? `${q}: ${answer.status}` : `${q}: ${first.skillUrl}, ${left} left today`);
  }

  server.closeAllConnections();
  server.close();
  await once(server, 'close');
} finally {
  access.close();
  await rm(folder, { recursive: true, force: true });
}
