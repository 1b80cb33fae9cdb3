import type { ApiDocument, Json, Operation } from './frame/api-document.js';
import { type Html, html } from './frame/html.js';
import { renderPage } from './frame/layout.js';
import type { PageAnswer, PageRequest } from './frame/page-answer.js';
import { PAGE_HEADERS } from './frame/page-headers.js';

interface ShownOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** Patterns are shown up to so many characters: one has all letters of all scripts. */
const LONGEST_PATTERN = 120;

/** The page about the API: what `/openapi.json` says, for people. */
export function showDocs({ base, describe }: PageRequest): PageAnswer {
  const document = describe();
  const operations = operationsOf(document);
  const main = html`<h1>${document.info.title}</h1>
<p class="muted">Version ${document.info.version}. For programs: <a href="${base}/openapi.json">openapi.json</a></p>
<div class="docs">
<nav class="docs-contents" aria-label="Operations">
${document.tags.map(
  ({ name }) => html`<p class="docs-group">${name}</p>
<ul class="docs-list">${operations
    .filter(({ operation }) => operation.tags.includes(name))
    .map(
      ({ operation }) => html`<li><a class="docs-link" href="#${operation.operationId}">${operation.summary}</a></li>`,
    )}</ul>
`,
)}<p class="docs-group">Answers</p>
<ul class="docs-list">${Object.keys(document.components['schemas']!).map((name) => html`<li><a class="docs-link" href="#schema-${name}">${name}</a></li>`)}</ul>
</nav>
<div class="docs-content">
${paragraphs(document.info.description)}
${operations.map((shown) => showOperation(shown, document))}
<h2 id="schemas">Answers in parts</h2>
${Object.entries(document.components['schemas']!).map(([name, schema]) => showSchema(name, schema))}
</div>
</div>`;
  const title = 'API';
  return { headers: PAGE_HEADERS, body: renderPage({ title, description: ABOUT, main, base, current: 'API' }) };
}

const ABOUT = 'Every operation of the Skill Discovery API with its parameters, answers and errors.';

function operationsOf({ paths }: ApiDocument): readonly ShownOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

function showOperation(shown: ShownOperation, document: ApiDocument): Html {
  const { path, method, operation } = shown;
  const { operationId, summary, description, parameters = [], responses } = operation;
  return html`<section class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
<h2 id="${operationId}-title">${summary}</h2>
<p><span class="method">${method}</span> <code>${path}</code></p>
${paragraphs(description)}
<p>${keyOf(operation)}</p>
${parameters.length > 0 && showParameters(parameters, document)}
<h3>Example</h3>
<pre class="command"><code>${commandOf(shown, document)}</code></pre>
<h3>Answers</h3>
${Object.entries(responses).map(([status, response]) => showResponse(status, response, document))}
</section>
`;
}

function keyOf({ security }: Operation): Html {
  if (security === undefined)
    return html`<strong>Needs a key</strong>, sent as <code>Authorization: Bearer KEY</code>.`;
  const takesKey = security.some((one) => 'bearer' in one);
  return takesKey ? html`A key is optional, and gives higher quotas.` : html`Needs no key.`;
}

function showParameters(parameters: readonly Json[], document: ApiDocument): Html {
  return html`<h3>Parameters</h3>
<dl class="parameters">
${parameters.map((parameter) => {
  const schema = resolved(parameter['schema'] as Json, document);
  return html`<dt><code>${String(parameter['name'])}</code>${parameter['required'] === true && html` <strong class="small">required</strong>`}</dt>
<dd><p class="parameter-line">${inline(String(parameter['description']))}</p>
<p class="parameter-line muted small">${boundsOf(schema)}${parameter['in'] === 'header' && html`, a header`}. Example: <code>${String(parameter['example'])}</code></p></dd>
`;
})}</dl>
`;
}

/** The type of a value and its bounds, in words. */
function boundsOf(schema: Json): Html {
  const { type, enum: choices, minimum, maximum, minLength, maxLength, pattern, format, default: usual } = schema;
  const bounds = [
    minimum !== undefined && `from ${String(minimum)}`,
    maximum !== undefined && `to ${String(maximum)}`,
    format !== undefined && `as ${String(format)}`,
    minLength !== undefined && maxLength === undefined && 'not empty',
    maxLength !== undefined && `${String(minLength ?? 0)} to ${String(maxLength)} characters`,
    'const' in schema && `always ${JSON.stringify(schema['const'])}`,
  ].filter((one) => one !== false);
  const shown = typeof pattern === 'string' && pattern.length <= LONGEST_PATTERN ? pattern : undefined;
  return html`${Array.isArray(type) ? type.join(' or ') : String(type ?? 'value')}${bounds.length > 0 && ` ${bounds.join(' ')}`}${
    Array.isArray(choices) &&
    html`, one of ${choices.map((one, i) => html`${i > 0 && ', '}<code>${String(one)}</code>`)}`
  }${shown !== undefined && html`, pattern <code>${shown}</code>`}${usual !== undefined && html`, by default <code>${String(usual)}</code>`}`;
}

function showResponse(status: string, response: Json, document: ApiDocument): Html {
  const headers = Object.entries((response['headers'] ?? {}) as Readonly<Record<string, Json>>);
  const contents = Object.entries((response['content'] ?? {}) as Readonly<Record<string, Json>>);
  return html`<details class="answer"${status.startsWith('2') && html` open`}>
<summary><strong>${status}</strong> ${String(response['description'])}</summary>
${contents.map(([type, content]) => showContent(type, content))}
${
  headers.length > 0 &&
  html`<h4 class="headers-title">Headers</h4>
<dl>${headers.map(([name, header]) => {
    const { description, example } = resolved(header, document);
    return html`<dt><code>${name}</code></dt><dd>${inline(String(description))}. Example: <code>${String(example)}</code></dd>`;
  })}</dl>`
}
</details>
`;
}

function showContent(type: string, { schema, example, examples }: Json): Html {
  const several = Object.entries((examples ?? {}) as Readonly<Record<string, { readonly value: unknown }>>);
  const all: readonly (readonly [string | undefined, unknown])[] =
    example === undefined ? several.map(([name, { value }]) => [name, value]) : [[undefined, example]];
  return html`<p class="muted small">${type}${schema !== undefined && html`: ${typeOf(schema as Json)}`}</p>
${all.map(
  ([name, value]) => html`${
    name !== undefined &&
    html`<p class="small"><code>${name}</code></p>
`
  }<pre><code>${typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)}</code></pre>
`,
)}`;
}

/** What a value is, with a link where it has a name. */
function typeOf(schema: Json): Html {
  const { $ref, type, items, properties, oneOf } = schema;
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1)!;
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (Array.isArray(oneOf)) return html`${oneOf.map((one: Json, i) => html`${i > 0 && ' or '}${typeOf(one)}`)}`;
  if (type === 'array') return html`a list of ${typeOf(items as Json)}`;
  if (type !== 'object') return boundsOf(schema);
  const names = Object.keys((properties ?? {}) as Json);
  return html`an object with ${names.map((name, i) => html`${i > 0 && ', '}<code>${name}</code>`)}`;
}

function showSchema(name: string, schema: Json): Html {
  const { description, properties, required = [] } = schema as Json & { required?: readonly string[] };
  const fields = Object.entries((properties ?? {}) as Readonly<Record<string, Json>>);
  return html`<section class="operation" aria-labelledby="schema-${name}">
<h3 id="schema-${name}">${name}</h3>
${description !== undefined && paragraphs(String(description))}
${
  fields.length === 0
    ? html`<p>${typeOf(schema)}</p>`
    : html`<dl>${fields.map(
        ([field, one]) =>
          html`<dt><code>${field}</code></dt><dd>${[
            typeOf(one),
            !required.includes(field) && ', may be absent',
            one['description'] !== undefined && html`. ${inline(String(one['description']))}`,
          ]}</dd>`,
      )}</dl>`
}
</section>
`;
}

/** The operation as a command for a shell. */
function commandOf({ path, method, operation }: ShownOperation, { servers }: ApiDocument): string {
  const { parameters = [], security, requestBody } = operation;
  const asked = parameters.filter((one) => one['required'] === true);
  const query = asked.map((one) => `${String(one['name'])}=${encodeURIComponent(String(one['example']))}`).join('&');
  const words = ['curl'];
  if (method !== 'GET') words.push('-X', method);
  if (security === undefined) words.push('-H', quoted('Authorization: Bearer KEY'));
  if (requestBody !== undefined) {
    const content = (requestBody['content'] as Readonly<Record<string, Json>>)['application/json']!;
    words.push('-H', quoted('Content-Type: application/json'), '-H', quoted(ACCEPT));
    words.push('-d', quoted(JSON.stringify(content['example'])));
  } else if (operation.responses['200']?.['content'] !== undefined && !answersJson(operation)) {
    words.push('-H', quoted('Accept: text/event-stream'));
  }
  return [...words, quoted(`${servers[0]!.url}${path}${query === '' ? '' : `?${query}`}`)].join(' ');
}

const ACCEPT = 'Accept: application/json, text/event-stream';

function answersJson({ responses }: Operation): boolean {
  return 'application/json' in ((responses['200']?.['content'] ?? {}) as Json);
}

/** A word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** What a reference leads to, with what stands beside it. */
function resolved(part: Json, { components }: ApiDocument): Json {
  const { $ref, ...beside } = part;
  if (typeof $ref !== 'string') return part;
  const [kind, name] = $ref.split('/').slice(2);
  return { ...components[kind!]![name!], ...beside };
}

/** Text of our own with blank lines between paragraphs. */
function paragraphs(text: string): Html {
  return html`${text.split('\n\n').map(
    (one) => html`<p>${inline(one)}</p>
`,
  )}`;
}

/** The two marks that our own texts have: `code` and **strong**. */
function inline(text: string): Html {
  return html`${text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`;
    return part.startsWith('**') ? html`<strong>${part.slice(2, -2)}</strong>` : part;
  })}`;
}
