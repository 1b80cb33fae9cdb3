import type { SkillContents, SkillDetails } from '../../../index.js';
import { type Html, html } from '../frame/html.js';
import { languageAttributes } from '../frame/language-attributes.js';
import { renderPage } from '../frame/layout.js';
import type { PageAnswer, PageRequest, PageRoute } from '../frame/page-answer.js';
import { PAGE_HEADERS } from '../frame/page-headers.js';
import { shownLine, shownProse } from '../frame/safe-text.js';
import { wayBack } from '../search/way-back.js';
import { linkToFile, readSkillPath } from '../text/file-links.js';
import { frontMatterTable } from '../text/front-matter.js';
import { textPart } from '../text/text-parts.js';
import { showFile } from './file-page.js';
import { showFiles } from './files-page.js';
import { type InstallCommand, installCommands } from './install-commands.js';
import { similarSkills } from './similar-skills.js';
import { aboutSkill, byline, copiesOfSkill, filesOfSkill } from './skill-facts.js';
import { mainFileOf, markdownView } from './skill-text.js';

/**
 * The pages of a skill: its own, the list of its files, and each of these; undefined if no skill can have this path.
 */
export function skillRoute(path: string): PageRoute | undefined {
  const found = readSkillPath(path);
  if (found === undefined) return undefined;
  const { id, file } = found;
  return (request) => {
    const skill = request.search.get(id);
    if (skill === undefined) return undefined;
    if (file === undefined) return showSkill(skill, request);
    return file === '' ? showFiles(skill, request) : showFile(skill, file, request);
  };
}

async function showSkill(skill: SkillDetails, request: PageRequest): Promise<PageAnswer> {
  const { search, base, query } = request;
  const contents = search.contents(skill.id) ?? { complete: false, files: [] };
  const name = shownLine(skill.name);
  const description = shownProse(skill.description);
  const [text, similar, address] = await Promise.all([
    textOfSkill(skill, contents, request),
    similarSkills(skill, request),
    request.installAddress(skill.id),
  ]);
  const main = html`${wayBack(base, query)}<div class="skill">
<div class="skill-head">
<h1${languageAttributes(name)}>${name === '' ? skill.id : name}</h1>
${byline(skill, base)}
<p class="lead"${languageAttributes(description)}>${description}</p>
</div>
<div class="skill-body">
${install(skill, address)}
${text}
</div>
<div class="skill-side">
${aboutSkill(skill, contents, base)}
${filesOfSkill(skill, contents, base)}
${copiesOfSkill(skill, search, base)}
</div>
${similar}
</div>`;
  const page = renderPage({
    title: name,
    description: descriptionFor(description),
    main,
    base,
    unlisted: query !== '',
  });
  return { headers: PAGE_HEADERS, body: page };
}

function install(skill: SkillDetails, address: string | undefined): Html {
  const commands = installCommands(skill, address);
  if (commands.length === 0) {
    return html`<section class="install"><h2>Install</h2><p class="muted">Its source names no repository to install it from.</p></section>`;
  }
  return html`<section class="install"><h2>Install</h2>
${commands.map(commandView)}</section>`;
}

function commandView({ label, command }: InstallCommand): Html {
  const copy = html`<button type="button" class="copy" hidden>Copy</button>`;
  const head = html`<div class="code-head"><span class="language">${label}</span>${copy}</div>`;
  return html`<div class="code">${head}<pre dir="ltr" tabindex="0"><code>${command}</code></pre></div>
`;
}

async function textOfSkill(
  skill: SkillDetails,
  { files }: SkillContents,
  { search, base }: PageRequest,
): Promise<Html | undefined> {
  const path = mainFileOf(search.filenames(skill.id));
  // Only this file is read: together they may have megabytes.
  const file = path === undefined ? undefined : search.file(skill.id, path);
  const part = file === undefined ? undefined : textPart(file.text, 1);
  if (path === undefined || part === undefined) return undefined;
  const view = await markdownView({ part, id: skill.id, path, files, highestHeading: 3 }, base);
  const link = linkToFile(base, skill.id, path);
  const more =
    part.count > 1 &&
    html`<p class="notice">This is the beginning of a long text. <a href="${link}">All of ${path}</a></p>`;
  return html`<section class="skill-text"><h2><a href="${link}"><bdi>${shownLine(path)}</bdi></a></h2>
${frontMatterTable(skill)}
${view}
${more}</section>`;
}

const MAX_DESCRIPTION = 200;

/** What search engines show. */
function descriptionFor(text: string): string {
  const line = shownLine(text);
  return line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION).toWellFormed()}…` : line;
}
