import { UNLIMITED } from '../access/index.js';
import { ERROR_STATUS } from './error-content.js';
import { JSON_RPC_SCHEMAS } from './openapi-mcp.js';
import { object, ref } from './openapi-responses.js';
import type { Json } from './pages/frame/api-document.js';
import { SKILL_FIELDS } from './public-record.js';
import { MALFORMED, refusalOf } from './refusal.js';
import type { ServedExtras } from './routes.js';
import { letterOrDigit } from './text-patterns.js';

const TEXT = { type: 'string' };
const COUNT = { type: 'integer', minimum: 0 };

/** The schemas and headers that operations refer to. */
export function describeSchemas({
  compatible,
  mcp,
  publishes,
}: ServedExtras): Readonly<Record<string, Readonly<Record<string, Json>>>> {
  return {
    schemas: {
      Question: question(),
      Skill: skill(compatible),
      Pagination: pagination(compatible),
      Meta: meta(),
      AiSearchResult: aiSearchResult(),
      Error: error(),
      ...(compatible ? { FoundSkill: foundSkill() } : {}),
      ...(compatible && publishes ? { SkillDownload: skillDownload() } : {}),
      ...(mcp ? JSON_RPC_SCHEMAS : {}),
    },
    headers: mcp ? { ...HEADERS, Allow: ALLOW } : HEADERS,
  };
}

function question(): Json {
  return {
    type: 'string',
    minLength: 1,
    pattern: letterOrDigit(),
    description:
      'Text with a letter or a digit of any script. The pattern is `[\\p{L}\\p{N}]` with all ranges of characters written out, because not every language understands it.',
  };
}

function skill(compatible: boolean): Json {
  const about: Readonly<Record<string, Json>> = {
    id: { ...TEXT, description: 'Names the skill in this catalogue, for good' },
    name: TEXT,
    author: { ...TEXT, description: 'User name on the code-hosting platform' },
    description: TEXT,
    codehostUrl: { type: 'string', format: 'uri', description: 'Where the skill is published' },
    githubUrl: { type: 'string', format: 'uri', description: 'The same as codehostUrl' },
    skillUrl: { type: 'string', format: 'uri', description: 'The page about the skill' },
    stars: { ...COUNT, description: 'Stars of its repository' },
    updatedAt: { type: 'integer', description: 'When the skill was last changed, in Unix seconds; 0 if nobody knows' },
  };
  const fields = [...SKILL_FIELDS, ...(compatible ? ['githubUrl'] : [])];
  return object(Object.fromEntries(fields.map((field) => [field, about[field]])));
}

function pagination(compatible: boolean): Json {
  const positive = { type: 'integer', minimum: 1 };
  const neighbours = compatible ? { hasNext: { type: 'boolean' }, hasPrev: { type: 'boolean' } } : {};
  return object({
    page: positive,
    limit: positive,
    total: { ...COUNT, description: 'All skills that match, on all pages' },
    totalPages: COUNT,
    ...neighbours,
  });
}

function meta(): Json {
  return object({
    requestId: { ...TEXT, description: 'The same as the header X-Request-Id' },
    responseTimeMs: COUNT,
  });
}

function aiSearchResult(): Json {
  return object({
    file_id: { ...TEXT, description: '`<id of the skill>/<filename>`' },
    filename: { ...TEXT, description: 'The file of the skill that matches best' },
    score: { type: 'number', minimum: 0, maximum: 1, description: 'How likely the skill is useful' },
    skill: ref('Skill'),
  });
}

function error(): Json {
  const refused = [MALFORMED, refusalOf({ code: 'ERR_HTTP_REQUEST_TIMEOUT' })!];
  const codes = [...Object.keys(ERROR_STATUS), ...refused.map(({ code }) => code)];
  const message = { ...TEXT, description: 'For people: what was expected, and what came' };
  return object({ success: { const: false }, error: object({ code: { type: 'string', enum: codes }, message }) });
}

/** What `npx skills find` reads of a skill. */
function foundSkill(): Json {
  return object({
    id: TEXT,
    name: TEXT,
    installs: { ...COUNT, description: 'Always 0: nobody counts installations here' },
    source: { ...TEXT, description: 'What `npx skills add` takes; empty where nobody told' },
  });
}

/** What `npx skills add` reads of a download. */
function skillDownload(): Json {
  const path = { ...TEXT, description: "Inside the skill's folder, with /" };
  return object({
    files: { type: 'array', items: object({ path, contents: TEXT }) },
    hash: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of paths and contents' },
  });
}

const LIMIT = { type: 'integer', minimum: 1, maximum: UNLIMITED };
const REMAINING = { type: 'integer', minimum: 0, maximum: UNLIMITED };
const NO_LIMIT = `${UNLIMITED} means no limit`;

const HEADERS: Readonly<Record<string, Json>> = {
  RequestId: header(
    'Names the request in the log of the service',
    true,
    { type: 'string', format: 'uuid' },
    '0198c5f0-7d3c-4a51-9f0e-3a1c2b4d5e6f',
  ),
  DailyLimit: header(`Requests a day; ${NO_LIMIT}`, true, LIMIT, 50),
  DailyRemaining: header(`Requests left of this day; ${NO_LIMIT}`, true, REMAINING, 49),
  MinuteLimit: header(`Requests a minute; ${NO_LIMIT}`, true, LIMIT, 10),
  MinuteRemaining: header(`Requests left of this minute; ${NO_LIMIT}`, true, REMAINING, 9),
  ExceededLimit: header('The limit that is exceeded, on the answers of that limit only', false, LIMIT, 10),
  ExceededRemaining: header('What is left of the limit that is exceeded', false, { const: 0 }, 0),
  Truncated: header(
    'The question was too costly to finish, so the total is a lower bound; absent otherwise',
    false,
    { const: true },
    true,
  ),
  RetryAfter: header('Seconds to wait', true, { type: 'integer', minimum: 1 }, 42),
  RetryAfterBusy: header('Seconds to wait, on answers with the code BUSY', false, { type: 'integer', minimum: 1 }, 1),
  Authenticate: header('How to send a key', true, { type: 'string', const: 'Bearer' }, 'Bearer'),
};

const ALLOW = header('The methods that there are', true, { type: 'string' }, 'POST');

function header(description: string, required: boolean, schema: Json, example: unknown): Json {
  return { description, required, schema, example };
}

const SKILL_EXAMPLE = {
  id: 'fernhollow-sci-workbench-skills-react-component-testing',
  name: 'react-component-testing',
  author: 'fernhollow-sci',
  description: 'Test React components the way people use them.',
  codehostUrl: 'https://code.example/fernhollow-sci/workbench/tree/HEAD/skills/react-component-testing',
  skillUrl: 'https://skills.example/skills/fernhollow-sci-workbench-skills-react-component-testing',
  stars: 6,
  updatedAt: 1_727_977_475,
};
const META_EXAMPLE = { requestId: '0198c5f0-7d3c-4a51-9f0e-3a1c2b4d5e6f', responseTimeMs: 1 };

/** Answers, as examples. */
export const EXAMPLES = {
  keyword: (compatible: boolean): Json => {
    const neighbours = compatible ? { hasNext: true, hasPrev: false } : {};
    const pagination = { page: 1, limit: 1, total: 2, totalPages: 2, ...neighbours };
    return { success: true, data: { skills: [skillExample(compatible)], pagination }, meta: META_EXAMPLE };
  },
  semantic: (compatible: boolean): Json => {
    const { id } = SKILL_EXAMPLE;
    const hit = { file_id: `${id}/SKILL.md`, filename: 'SKILL.md', score: 0.83, skill: skillExample(compatible) };
    return { success: true, data: { data: [hit] }, meta: META_EXAMPLE };
  },
  find: (): Json => {
    const { id, name } = SKILL_EXAMPLE;
    return { skills: [{ id, name, installs: 0, source: 'https://code.example/fernhollow-sci/workbench.git' }] };
  },
  download: (): Json => ({
    files: [{ path: 'SKILL.md', contents: '---\nname: react-component-testing\n…' }],
    hash: '90f8ec5669cd34183b9b0fdf8b94f5efb4c3672876330f4aa76088c2b4ad17be',
  }),
};

function skillExample(compatible: boolean): Json {
  return compatible ? { ...SKILL_EXAMPLE, githubUrl: SKILL_EXAMPLE.codehostUrl } : SKILL_EXAMPLE;
}
