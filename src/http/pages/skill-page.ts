import { hasCode, MAX_LISTED, repositoryOf, splitFrontMatter, textLanguage } from '../../core/index.js';
import type { ContentFile, SimilarSkill, Skill, SkillContents, SkillDetails, SkillSearch } from '../../index.js';
import { UNKNOWN } from '../../skill.js';
import type { Content } from '../call.js';
import { CLONE_URL, GITHUB_SOURCE } from '../search-operations.js';
import { categoryChips, occupationName, repositoryName } from './answer-view.js';
import {
  beginningOf,
  codeView,
  counted,
  type Html,
  html,
  languageAttributes,
  raw,
  shownDate,
  shownLine,
  shownNumber,
  shownProse,
  shownSize,
  starsView,
} from './html.js';
import { markdownHtml } from './markdown.js';
import { linkTo, linkToSkill, PAGE_PATHS, type PageRequest, renderPage, siteSearch } from './page.js';
import { readForm, wayBack } from './question-form.js';
import {
  frontMatterTable,
  type LinkPlace,
  linkFromText,
  linkToFile,
  sourceView,
  type TextPart,
  textPart,
} from './text-parts.js';

/** The page of a skill. */
export async function showSkill(skill: SkillDetails, request: PageRequest): Promise<Content> {
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
<div><h1${languageAttributes(name)}>${name === '' ? skill.id : name}</h1>
${byline(skill, base)}
<p class="lead"${languageAttributes(description)}>${description}</p></div>
${install(skill, address)}
</div>
<div class="skill-body">
${text}
</div>
<div class="skill-side">
${aboutSkill(skill, contents, base)}
${filesOfSkill(skill, contents, base)}
${copiesOfSkill(skill, search, base)}
</div>
${similar}
</div>`;
  return renderPage({
    title: name,
    description: beginningOf(description, MAX_DESCRIPTION),
    main,
    base,
    searchBox: siteSearch(base, readForm(query).form.q),
    unlisted: query !== '',
  });
}

function install(skill: SkillDetails, address: string | undefined): Html {
  const ways = waysToInstall(skill, address);
  const none = html`<p class="muted">Its source names no repository to install it from.</p>`;
  return html`<section class="install"><h2>Install</h2>
${ways.length === 0 ? none : html`<fieldset class="tabs"><legend class="hidden-text">Install with</legend>${ways.map(wayView)}</fieldset>`}</section>`;
}

function wayView({ name, lines, note }: WayToInstall, i: number): Html {
  const box = html`<input type="radio" name="install"${i === 0 && html` checked`}>`;
  return html`<label>${box}<span>${name}</span></label>
<div class="panel">${codeView(lines.join('\n'))}${note && html`<p class="muted small">${note}</p>`}</div>
`;
}

async function textOfSkill(
  skill: SkillDetails,
  contents: SkillContents,
  { search, base }: PageRequest,
): Promise<Html | undefined> {
  const names = search.filenames(skill.id);
  // Which file of a skill tells what it does.
  const path = names.find((name) => name.toUpperCase() === 'SKILL.MD') ?? names[0];
  // Only this file is read: together they may have megabytes.
  const file = path === undefined ? undefined : search.file(skill.id, path);
  const part = file === undefined ? undefined : textPart(file.text, 1);
  if (path === undefined || part === undefined) return undefined;
  const view = await markdownView(part, 3, { base, id: skill.id, path, files: pathsOf(contents) });
  const link = linkToFile(base, skill.id, path);
  const more =
    part.count > 1 &&
    html`<p class="notice">This is the beginning of a long text. <a href="${link}">All of ${path}</a></p>`;
  return html`<section class="skill-text"><h2><a href="${link}"><bdi>${shownLine(path)}</bdi></a></h2>
${frontMatterTable(skill)}
${view}
${more}</section>`;
}

/** Of the description that search engines show. */
const MAX_DESCRIPTION = 200;

/** The names of a skill's files that its page lists. A skill may have a thousand. */
const MAX_PAGE_FILES = 100;

/** Copies that are named. There may be hundreds. */
const SHOWN_COPIES = 10;

/** Who wrote a skill, its stars and its date, in a line. */
function byline({ author, stars, updatedAt, codehostUrl }: SkillDetails, base: string): Html {
  const date = shownDate(updatedAt);
  return html`<p class="byline">${
    author !== UNKNOWN &&
    html`<span>by ${filterLink(base, 'author', author)}</span>
`
  }${stars > 0 && starsView(stars, codehostUrl === UNKNOWN ? '' : ' of its repository')}
${date && html`<span>updated ${date}</span>`}</p>`;
}

/** What else is known of a skill. */
function aboutSkill(skill: SkillDetails, { complete, files }: SkillContents, base: string): Html {
  const { derivedCategories = [], occupations, tags, license, compatibility, allowedTools } = skill;
  const { installations = [] } = skill;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const facts: [string, Html | string | false | undefined][] = [
    ['License', license !== undefined && filterLink(base, 'license', license)],
    ['Source', webLink(skill.codehostUrl)],
    ['Listed at', skill.skillUrl === skill.codehostUrl ? undefined : webLink(skill.skillUrl)],
    ['Categories', categoryChips(skill, base)],
    ['Occupations', chips(base, 'occupation', occupations, occupationName)],
    ['Tags', chips(base, 'q', tags, (tag) => tag)],
    ['Compatibility', compatibility !== undefined && html`<span dir="auto">${shownLine(compatibility)}</span>`],
    ['Allowed tools', allowedTools !== undefined && html`<code>${shownLine(allowedTools)}</code>`],
    ['Agents', chips(base, 'agent', [...new Set(installations.map(({ agent }) => agent))], (agent) => agent)],
    ['Called by', skill.invocable === false && html`users only`],
    ['Contents', `${complete ? 'Complete: every file as it is' : excerptOf(skill)}, ${shownSize(bytes)}`],
    ['Id', html`<code>${shownLine(skill.id)}</code>`],
  ];
  const rows = facts.filter(([, value]) => value !== undefined && value !== false);
  return html`<section><h2>About</h2>
<dl class="facts">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>${derivedCategories.length > 0 && html`<p class="muted small">A classifier gave the categories with a dashed line. The source of the skill names none.</p>`}</section>`;
}

/** What stands where not all of a skill is kept. */
export function excerptOf({ codehostUrl, skillUrl }: Skill): string {
  return codehostUrl === UNKNOWN && skillUrl === UNKNOWN ? 'Excerpt' : 'Excerpt: full text at the source';
}

/** The files of a skill with their sizes. */
function filesOfSkill({ id }: SkillDetails, { files }: SkillContents, base: string): Html | undefined {
  if (files.length === 0) return undefined;
  const more = files.length - MAX_PAGE_FILES;
  return html`<section><h2>${counted(files.length, 'file')}</h2>
${fileList(id, files.slice(0, MAX_PAGE_FILES), base)}
${more > 0 && html`<p><a href="${linkToFile(base, id, '')}">and ${shownNumber(more)} more</a></p>`}</section>`;
}

/** A list of files, each a link to its view. */
export function fileList(id: string, files: readonly ContentFile[], base: string): Html {
  const item = ({ path, size }: ContentFile): Html =>
    html`<li><a href="${linkToFile(base, id, path)}"><bdi>${shownLine(path) || path}</bdi></a> <span class="muted small">${shownSize(size)}</span></li>`;
  return html`<ul class="files">${files.map(item)}</ul>`;
}

/** The other skills with the same text. */
function copiesOfSkill({ id }: SkillDetails, search: SkillSearch, base: string): Html | undefined {
  const others = search.copiesOf(id).filter((other) => other !== id);
  if (others.length === 0) return undefined;
  const more = others.length - SHOWN_COPIES;
  // As many as are listed at once, without this one.
  const least = others.length >= MAX_LISTED - 1 ? 'At least ' : '';
  const item = (other: string): Html => {
    const { stars = 0, codehostUrl = UNKNOWN } = search.get(other) ?? {};
    const place = [repositoryName(codehostUrl), repositoryOf(codehostUrl)?.folder].filter(Boolean).join(' · ');
    return html`<li><a href="${linkToSkill(base, other)}"><bdi>${shownLine(place || other)}</bdi></a> ${stars > 0 && html`<span class="muted small">${starsView(stars)}</span>`}</li>
`;
  };
  return html`<section><h2>${others.length === 1 ? '1 copy' : `${least}${shownNumber(others.length)} copies`}</h2>
<p class="muted small">Skills with the same name and description, or nearly the same text.</p>
<ul class="files">${others.slice(0, SHOWN_COPIES).map(item)}</ul>${more > 0 && html`<p class="muted">and ${least === '' ? shownNumber(more) : 'many'} more</p>`}</section>`;
}

/** A link if the text is an http or https URL; plain text otherwise. Undefined if it is unknown. */
function webLink(url: string): Html | undefined {
  if (url === UNKNOWN) return undefined;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return html`<bdi>${shownLine(url)}</bdi>`;
  return html`<a rel="nofollow noopener noreferrer" href="${url}"><bdi>${shownLine(url.replace(/^https?:\/\/(?:www\.)?/i, ''))}</bdi></a>`;
}

/** A link to the skills with this value. */
function filterLink(base: string, name: 'author' | 'license', value: string): Html {
  const href = linkTo(base, PAGE_PATHS.home, { [name]: value });
  return html`<a href="${href}"><bdi>${shownLine(value) || value}</bdi></a>`;
}

function chips(
  base: string,
  field: 'occupation' | 'agent' | 'q',
  values: readonly string[],
  nameOf: (value: string) => string,
): Html | undefined {
  if (values.length === 0) return undefined;
  const chip = (value: string): Html =>
    html`<li><a class="chip" href="${linkTo(base, PAGE_PATHS.home, { [field]: value })}"><bdi>${shownLine(nameOf(value))}</bdi></a></li>`;
  return html`<ul class="chips">${values.map(chip)}</ul>`;
}

const SHOWN = 6;
/** Of these, those in the language of the reader come first. */
const LOOKED_AT = 4 * SHOWN;
const MAX_SIMILAR_DESCRIPTION = 180;

/**
 * Milliseconds that a page waits for similar skills. The first who asks may open the index of vectors, which takes
 * seconds in a large catalogue. It goes on being opened, and the next visit has them.
 */
const LONGEST_WAIT = 1000;

/**
 * The skills nearest to one by their vectors, first those in the language of the question, or else of this one. Undefined where there are none, they cannot be found, or that takes too
 * long: the page is worth showing without them.
 */
async function similarSkills({ id, description }: Skill, request: PageRequest): Promise<Html | undefined> {
  const { search, base, query, logFailure } = request;
  const finding = search.similar(id, { limit: LOOKED_AT }).catch((error: unknown) => {
    // Without vectors: that was meant, and nobody need look into it.
    if (!hasCode(error, 'NO_VECTORS')) logFailure(error);
    return [];
  });
  const late = new Promise<SimilarSkill[]>((resolve) => void setTimeout(resolve, LONGEST_WAIT, []).unref());
  const similar = await Promise.race([finding, late]);
  if (similar.length === 0) return undefined;
  const language = shownLanguage(readForm(query).form.q ?? '') ?? shownLanguage(description);
  const isForeign = ({ skill }: SimilarSkill): number =>
    Number(![undefined, language].includes(shownLanguage(skill.description)));
  const shown = similar.toSorted((a, b) => isForeign(a) - isForeign(b)).slice(0, SHOWN);
  return html`<section class="similar"><h2>Similar skills</h2>
<ul class="cards">${shown.map((one) => card(one, base))}</ul></section>`;
}

/** Without a script; undefined where a text shows no language. */
function shownLanguage(text: string): string | undefined {
  return textLanguage(text).lang?.replace(/-.*/, '');
}

function card({ skill: { id, name, description, stars, codehostUrl }, copies }: SimilarSkill, base: string): Html {
  const shown = shownLine(name);
  return html`<li class="card"><h3${languageAttributes(shown)}><a href="${linkToSkill(base, id)}">${shown || id}</a></h3>
<p${languageAttributes(description)}>${beginningOf(description, MAX_SIMILAR_DESCRIPTION)}</p>
<p class="byline small"><bdi>${repositoryName(codehostUrl)}</bdi> ${stars > 0 && starsView(stars)} ${copies > 1 && html`<span>${shownNumber(copies)} copies</span>`}</p></li>
`;
}

/** Commands for a shell that install a skill, or fetch it. */
interface WayToInstall {
  readonly name: string;
  readonly lines: readonly string[];
  readonly note?: Html;
}

/** Agents with the folders into which `npx skills` puts what it installs for all projects, and for one. */
const AGENT_TABS = [
  ['claude-code', 'Claude Code', '~/.claude/skills', '.claude/skills'],
  ['codex', 'Codex', '~/.agents/skills', '.agents/skills'],
] as const;

/**
 * How a skill is installed; empty if its repository is unknown and it is not published here, or its address is not one
 * for a shell.
 *
 * @param ownAddress where this service publishes it
 */
function waysToInstall({ codehostUrl, name }: Skill, ownAddress?: string): readonly WayToInstall[] {
  const repository = repositoryOf(codehostUrl);
  const { github, cloneUrl = ownAddress ?? '', folder = '' } = repository ?? {};
  const ref = repository?.ref?.replace(/^(?:main|master)$/, '') ?? '';
  const isSafe = github === undefined ? CLONE_URL.test(cloneUrl) : GITHUB_SOURCE.test(github);
  if (!isSafe || (ref !== '' && !isWord(ref))) return [];
  // The installer clones branches and tags, and no commits.
  const isNamed = ref !== '' && !/^[0-9a-f]{40}$/.test(ref);
  const source = quoted(`${github ?? cloneUrl}${isNamed ? `#${encodeURIComponent(ref)}` : ''}`);
  const add = `npx skills add ${source}${repository !== undefined && isWord(name) ? ` --skill ${quoted(name)}` : ''}`;
  const ways: WayToInstall[] = AGENT_TABS.map(([agent, title, all, one]) => ({
    name: title,
    lines: [`${add} -a ${agent} -g`],
    note: html`Into <code>${all}</code>; without <code>-g</code> into <code>${one}</code> of this project.`,
  }));
  ways.unshift({ name: 'npx skills', lines: [add] });
  if (repository === undefined) return ways;
  // Of the folder of the skill alone, where it is known: repositories may have thousands of others.
  const target = cloneUrl.slice(cloneUrl.lastIndexOf('/') + 1, -'.git'.length);
  const part = isWord(folder) ? folder : '';
  const lines = [
    `git clone${ref === '' ? ' --depth 1' : ''}${part && ' --filter=blob:none --sparse'} ${cloneUrl}`,
    part && `git -C ${target} sparse-checkout set ${quoted(part)}`,
    ref && `git -C ${target} checkout ${quoted(ref)}`,
  ];
  const place = html`The skill is then in <code>${part === '' ? target : `${target}/${part}`}</code>. Copy that folder into
that of your agent: <code>${AGENT_TABS[0][2]}</code> of Claude Code, <code>${AGENT_TABS[1][2]}</code> of Codex.`;
  return [...ways, { name: 'git', lines: lines.filter(Boolean), note: place }];
}

/** Whether a text can be a word of a command: one that is no option, and shown as it is. */
function isWord(text: string): boolean {
  return text !== '' && !text.startsWith('-') && shownLine(text) === text;
}

/** A text as one word for a shell. */
function quoted(text: string): string {
  return /^\w[\w.:/@~+%-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The paths of all files of a skill. */
export function pathsOf(contents: SkillContents | undefined): ReadonlySet<string> {
  return new Set(contents?.files.map(({ path }) => path));
}

/**
 * A part of a Markdown text of a skill as HTML; as it is written where it is too intricate for that.
 *
 * @param highestHeading the level of its first heading
 */
export async function markdownView(part: TextPart, highestHeading: number, place: LinkPlace): Promise<Html> {
  const { frontMatter, body } =
    part.number === 1 ? splitFrontMatter(part.text) : { frontMatter: undefined, body: part.text };
  const written = await markdownHtml(body, { highestHeading, linkTo: (target) => linkFromText(target, place) });
  if (written === undefined) {
    return html`<p class="notice">This text is too intricate to be formatted. It is shown as it is written.</p>
${sourceView(part)}`;
  }
  const before =
    frontMatter !== undefined &&
    html`<details class="front-matter"><summary>Front matter</summary>
${sourceView({ ...part, text: frontMatter, firstLine: 2 })}</details>`;
  return html`${before}<div class="markdown"${languageAttributes(body)}>
${raw(written)}</div>`;
}

/** The links to the parts of a text before and behind one. */
export function partLinks({ number, count }: TextPart, linkToPart: (number: number) => string): Html | undefined {
  if (count === 1) return undefined;
  const links = [
    number > 1 && html`<a href="${linkToPart(number - 1)}" rel="prev">Previous part</a> `,
    html`<span>Part ${number} of ${count}</span>`,
    number < count && html` <a href="${linkToPart(number + 1)}" rel="next">Next part</a>`,
  ];
  return html`<nav class="pages" aria-label="Parts">${links}</nav>`;
}
