import type { Content } from '../call.js';
import { codeView, html, raw } from './html.js';
import { markdownHtml } from './markdown.js';
import { type PageRequest, renderPage } from './page.js';

/** What is read of the description of the API. */
interface ApiDescription {
  readonly info: { readonly description: string };
  readonly servers: readonly [{ readonly url: string }];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  /** A command for the service at {@link EXAMPLE}. */
  readonly 'x-codeSamples': readonly [{ readonly source: string }];
}

interface Parameter {
  readonly name: string;
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Readonly<Record<string, string | number | readonly string[]>>;
}

/** What is shown of the schema of a parameter, with the words before it. */
const LIMITS = { type: '', enum: 'one of ', minimum: 'at least ', maximum: 'at most ', default: 'by default ' };

const EXAMPLE = 'https://skills.example';

/** The API for people: what `/openapi.json` says, by method and path, with a command to try each. */
export async function showDocs({ base, describe }: PageRequest): Promise<Content> {
  const { info, servers, paths } = JSON.parse(await describe()) as ApiDescription;
  const prose = async (text: string) =>
    raw((await markdownHtml(text, { highestHeading: 3, linkTo: () => undefined }))!);
  const [links, sections] = [[html``], [html``]];
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { summary, description, parameters = [], ...samples }] of Object.entries(methods)) {
      const title = `${method.toUpperCase()} ${path}`;
      const anchor = title.toLowerCase().replace(/\W+/g, '-');
      const rows = [];
      for (const { name, required, description, schema } of parameters) {
        const term = html`<dt><code>${name}</code>${required === true && ', required'}</dt>`;
        const limits = Object.entries(LIMITS).filter(([key]) => schema[key] !== undefined);
        const values = limits.map(([key, words]) => words + [schema[key]].flat().join(', ')).join('; ');
        rows.push(html`${term}<dd>${await prose(description)}<p class="muted small">${values}</p></dd>`);
      }
      links.push(html`<li><a href="#${anchor}"><code>${title}</code></a></li>`);
      sections.push(html`<section id="${anchor}"><h2>${title}</h2><p class="muted">${summary}</p>
${await prose(description)}${codeView(samples['x-codeSamples'][0].source.replaceAll(EXAMPLE, servers[0].url))}
${rows.length > 0 && html`<dl>${rows}</dl>`}</section>
`);
    }
  }
  links.push(html`<li><a href="#all">All requests</a></li>`);
  const [about = '', ...rules] = info.description.split('\n\n');
  const main = html`<h1>API</h1>
<div class="docs"><nav aria-label="Operations"><ul class="files">${links}</ul></nav>
<div>${await prose(about)}
<p>For programs all of this, with the answers, is in <a href="${base}/openapi.json">openapi.json</a>.</p>
${sections}<section id="all"><h2>All requests</h2>${await prose(rules.join('\n\n'))}</section></div></div>`;
  return renderPage({ title: 'API', description: 'How programs ask this catalogue.', main, base });
}
