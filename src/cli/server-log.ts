import { destination, type Level, type Logger, pino, stdTimeFunctions } from 'pino';
import type { LogEvent } from '../http/index.js';
import type { ReloadEvent } from '../index.js';
import type { Output } from './output.js';

/** What is logged at least; `silent` logs nothing. */
export const LOG_LEVELS = ['info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Characters to keep for a reader that is slow; what comes beyond them is dropped. */
const MAX_WAITING = 2 ** 24;
/** How often a reader that takes nothing is tried again when the server ends: every tenth of a second. */
const LAST_TRIES = 5;

/** What a server tells while it runs: one JSON object a line, on standard error. */
export class ServerLog {
  readonly #logger: Logger;
  readonly #flush: () => void;
  #triesLeft = Number.POSITIVE_INFINITY;

  constructor(level: LogLevel, { error }: Output) {
    const options = { level, base: null, timestamp: stdTimeFunctions.isoTime, formatters: { level: nameLevel } };
    // Written aside: a reader that is slow must not hold up the answers.
    const retryEAGAIN = (): boolean => this.#triesLeft-- > 0;
    const waiting = { sync: false, maxLength: MAX_WAITING, retryEAGAIN };
    const aside = error === process.stderr ? destination({ dest: 2, ...waiting }) : undefined;
    aside?.on('error', () => {});
    this.#logger = aside === undefined ? pino(options, error) : pino(options, aside);
    this.#flush = () => aside?.flushSync();
  }

  /** A request, or what its client was not told. */
  readonly onEvent = (event: LogEvent): void => {
    const { kind, ...facts } = event;
    if ('error' in facts) {
      const { error, requestId } = facts;
      this.#logger.error({ requestId, err: error }, kind);
      return;
    }
    const { milliseconds, ...rest } = facts;
    this.#logger[levelOf(facts.status)]({ ...rest, milliseconds: Math.round(milliseconds * 100) / 100 }, kind);
  };

  readonly onReload = (event: ReloadEvent): void => {
    if (event.kind === 'failed') {
      this.#logger.error(
        { err: event.error },
        'the catalogue changed but cannot be opened: the previous one stays in use',
      );
      return;
    }
    const { skills, vectors, stamp } = event.stats;
    this.#logger.info({ skills, vectors, stamp, milliseconds: Math.round(event.milliseconds) }, 'catalogue reloaded');
  };

  info(message: string, facts: Readonly<Record<string, unknown>> = {}): void {
    this.#logger.info(facts, message);
  }

  warn(message: string, facts: Readonly<Record<string, unknown>> = {}): void {
    this.#logger.warn(facts, message);
  }

  /** Writes out what is left, as far as somebody reads it. */
  close(): void {
    this.#triesLeft = LAST_TRIES;
    try {
      this.#flush();
    } catch {
      // Nothing was left, or nobody reads it.
    }
  }
}

function nameLevel(level: string): { level: string } {
  return { level };
}

function levelOf(status: number): Level {
  if (status < 500) return 'info';
  return status === 500 ? 'error' : 'warn';
}
