import type { Locator, Page, Route } from 'playwright-core';

/** The box that questions are typed into. */
export function boxOf(page: Page): Locator {
  return page.getByRole('main').getByLabel('Search skills');
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
