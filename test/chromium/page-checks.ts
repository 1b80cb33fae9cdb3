import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Locator, Page, Route } from 'playwright-core';

/** The box that questions are typed into. */
export function boxOf(page: Page): Locator {
  return page.getByRole('banner').getByLabel('Search skills');
}

/** The sentence that says what was found. */
export function summaryOf(page: Page): Locator {
  return page.locator('#answer').getByRole('heading', { level: 2 }).first();
}

/** What the answer says when meaning has been asked, too: the stand-in for a model is seldom sure of itself. */
export const BY_MEANING = /by meaning|Nothing fits well/;

/** The names of the skills found, each a link. */
export function hitsOf(page: Page): Locator {
  return page.locator('#answer').getByRole('listitem').getByRole('heading').getByRole('link');
}

/** Stops the clock of a page that is loaded: from now on its timers run only by `page.clock.runFor()`. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.pauseAt(LATER);
}

/** The time before {@link stopClock}, for a page that is not loaded yet. */
export async function installClock(page: Page): Promise<void> {
  await page.clock.install({ time: EARLIER });
}

const EARLIER = new Date('2026-01-01T00:00:00Z');
const LATER = new Date('2026-01-01T01:00:00Z');

/** What the page asks as somebody types, in order, until it is told to let answers through. */
export interface HeldQuestions {
  readonly asked: URL[];
  /** Lets the answer to the question with this number through. */
  release(number: number): Promise<void>;
}

/** Holds back the answers to what the page asks. */
export async function holdQuestions(page: Page): Promise<HeldQuestions> {
  const held: Route[] = [];
  const asked: URL[] = [];
  await page.route('**/page/search?**', (route) => {
    held.push(route);
    asked.push(new URL(route.request().url()));
  });
  return {
    asked,
    // The page may have given up on it.
    release: (number) => held[number]!.continue().catch(() => {}),
  };
}

/** Writes down what the page asks as somebody types, in order. */
export function watchQuestions(page: Page): URL[] {
  const asked: URL[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname.endsWith('/page/search')) asked.push(url);
  });
  return asked;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules that axe leaves out unless it is told to use them: those of level AAA, and the size of what is touched. */
const STRICTER = [
  'color-contrast-enhanced',
  'identical-links-same-purpose',
  'meta-refresh-no-exceptions',
  'target-size',
];

/** What axe-core finds wrong with a page as it is now, of every level: an entry for each rule. */
export async function axeFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const { violations } = await page.evaluate(
    (rules): Promise<AxeResults> =>
      (window as unknown as { axe: typeof import('axe-core') }).axe.run(document, {
        resultTypes: ['violations'],
        rules: Object.fromEntries(rules.map((rule) => [rule, { enabled: true }])),
      }),
    STRICTER,
  );
  return violations.map(({ id, impact, help, nodes }) => {
    const places = nodes.slice(0, 5).map(({ target, html }) => `${target.join(' ')}: ${html.slice(0, 120)}`);
    return `${id} (${impact}): ${help}: ${nodes.length} times:\n  ${places.join('\n  ')}`;
  });
}

/**
 * What is wider than the page, or than the box around it: unless that box can be scrolled, somebody cannot read it. A
 * line for each element; empty if all fits.
 */
export async function sticksOut(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const root = document.documentElement;
    const width = root.clientWidth;
    const found = root.scrollWidth > width ? [`the page is ${root.scrollWidth} wide, ${width} are seen`] : [];
    const nameOf = (element: Element) => {
      const classes = element.getAttribute('class') ?? '';
      const parents = element.parentElement === null ? '' : `${element.parentElement.tagName.toLowerCase()} > `;
      return `${parents}${element.tagName.toLowerCase()}.${classes.replaceAll(' ', '.')}`;
    };
    const isCut = ({ overflowX, textOverflow, clipPath }: CSSStyleDeclaration) =>
      /auto|scroll/.test(overflowX) || textOverflow === 'ellipsis' || clipPath !== 'none';
    const isInScroller = (element: Element) => {
      for (let one = element.parentElement; one !== null && one !== document.body; one = one.parentElement) {
        if (isCut(getComputedStyle(one))) return true;
      }
      return false;
    };
    for (const element of document.body.querySelectorAll<HTMLElement>('*')) {
      const { left, right, width: own, height, bottom } = element.getBoundingClientRect();
      // What is there for screen readers only, comes into the page when it has the focus, or is folded up.
      if (own <= 1 || height <= 1 || bottom <= 0 || !element.checkVisibility()) continue;
      const style = getComputedStyle(element);
      if ((right > width + 1 || left < -1) && !isInScroller(element)) {
        found.push(`${nameOf(element)} goes from ${Math.round(left)} to ${Math.round(right)} of ${width}`);
      }
      const isBox = !style.display.startsWith('inline') || style.display === 'inline-block';
      const hasText = [...element.childNodes].some(({ nodeType, nodeValue }) => nodeType === 3 && nodeValue?.trim());
      if (isBox && hasText && element.scrollWidth > element.clientWidth + 1 && style.overflowX === 'visible') {
        if (!(element instanceof HTMLElement) || isCut(style) || isInScroller(element)) continue;
        found.push(`${nameOf(element)} is ${element.clientWidth} wide, its text ${element.scrollWidth}`);
      }
    }
    return [...new Set(found)].slice(0, 20);
  });
}

/** Begins to record how much moves without anybody having asked for it, before the page is loaded. */
export async function recordShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: string[] = [];
    (window as unknown as { shifts: string[] }).shifts = shifts;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, sources = [] } = entry as PerformanceEntry & { value: number; sources?: { node?: Node }[] };
        const moved = sources.map(({ node }) => (node as Element | null)?.outerHTML?.slice(0, 80) ?? 'nothing');
        shifts.push(`${value} at ${Math.round(entry.startTime)}: ${moved.join(', ')}`);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** What has moved since the page was loaded: shifts that followed a click or a key press at once count, too. */
export async function shiftsOf(page: Page): Promise<string[]> {
  // An entry is told after the frame in which it moved.
  return await page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        requestAnimationFrame(() =>
          requestAnimationFrame(() => resolve((window as unknown as { shifts: string[] }).shifts)),
        );
      }),
  );
}

/**
 * What stands in a page and is not of our making, as far as it could run, load, send or mislead: elements of other
 * kinds than our pages have, handlers, addresses that a click runs, and a title that a script wrote.
 */
export async function strangers(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const found = document.title === 'ran' ? ['a script ran'] : [];
    if (/[\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText)) found.push('letters in another order');
    const never = 'iframe, frame, object, embed, base, applet, math, template, audio, video, portal, marquee, style';
    for (const element of document.querySelectorAll(never)) found.push(element.outerHTML.slice(0, 100));
    for (const { content } of document.querySelectorAll<HTMLMetaElement>('meta[http-equiv]')) found.push(content);
    const ours = new Set([location.origin, 'null']);
    for (const element of document.querySelectorAll<HTMLElement>('*')) {
      const { attributes } = element;
      for (const { name, value } of attributes) {
        if (/^on/i.test(name) || name === 'style' || name === 'srcdoc') found.push(`${name}=${value.slice(0, 80)}`);
        const loads = /^(src|srcset|data|poster|background|action|formaction|ping|manifest)$/.test(name);
        if (loads && !ours.has(new URL(value, location.href).origin)) found.push(`${name}=${value.slice(0, 80)}`);
      }
      if (element instanceof HTMLLinkElement && !ours.has(new URL(element.href).origin)) found.push(element.href);
      if (element instanceof HTMLAnchorElement && !/^(https?|mailto):$/.test(element.protocol))
        found.push(element.href);
    }
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    found.push(...ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `two elements are ${id.slice(0, 80)}`));
    for (const covering of document.querySelectorAll('main *')) {
      if (getComputedStyle(covering).position === 'fixed') found.push(covering.outerHTML.slice(0, 100));
    }
    return found;
  });
}

/** Words that find several skills, and a skill that has files beside its SKILL.md. */
export interface Shown {
  readonly question: string;
  readonly skill: string;
}

/** One page of each kind: what to call it, and its path below the address of the site. */
export function everyPage({ question, skill }: Shown): readonly (readonly [name: string, path: string])[] {
  const of = `/skills/${encodeURIComponent(skill)}`;
  return [
    ['search', '/'],
    ['results', `/?q=${encodeURIComponent(question)}`],
    ['nothing', '/?q=zzxqv+wvvqx'],
    ['newest', '/?sortBy=recent'],
    ['skill', of],
    ['file', `${of}/files/SKILL.md`],
    ['docs', '/docs'],
    ['error', '/skills/nobody'],
  ];
}
