import { destination, type Level, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';
import type { StateEvent } from '../access/index.js';
import type { LogEvent } from '../http/index.js';
import type { ReloadEvent } from '../index.js';
import type { Output } from './output.js';

/** The lowest level that is logged; `silent` logs nothing. */
export const LOG_LEVELS = ['info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Characters that are buffered for a slow reader. Further log lines are dropped. */
const MAX_WAITING = 2 ** 24;
/** Attempts to write to a stuck reader when the server stops, one each tenth of a second. */
const LAST_ATTEMPTS = 5;

/** The log of a running server: one JSON object a line, on standard error. */
export class ServerLog {
  readonly #logger: Logger;
  readonly #flush: () => void;
  #attemptsLeft = Number.POSITIVE_INFINITY;

  constructor(level: LogLevel, { error }: Output) {
    const formatters = { level: nameLevel };
    const options = { level, base: null, timestamp: stdTimeFunctions.isoTime, formatters, serializers: { err: shown } };
    // Asynchronous, so that a slow reader of the log does not delay answers.
    const retryEAGAIN = (): boolean => this.#attemptsLeft-- > 0;
    const waiting = { sync: false, maxLength: MAX_WAITING, retryEAGAIN };
    const stderr = error === process.stderr ? destination({ dest: 2, ...waiting }) : undefined;
    stderr?.on('error', () => {});
    this.#logger = stderr === undefined ? pino(options, error) : pino(options, stderr);
    this.#flush = () => stderr?.flushSync();
  }

  /** Logs a request, or an error whose details its client does not see. */
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
    if (event.kind === 'failed' && event.during === 'fetching') {
      const reason = event.error instanceof Error ? event.error.message : String(event.error);
      this.#logger.warn({ reason }, 'a newer state of the catalogue cannot be had: the present one stays in use');
      return;
    }
    if (event.kind === 'failed') {
      this.#logger.error(
        { err: event.error },
        'the catalogue changed but cannot be opened: the previous one stays in use',
      );
      return;
    }
    if (event.kind === 'reachable') {
      const milliseconds = Math.round(event.milliseconds);
      this.#logger.info({ milliseconds }, 'newer states of the catalogue can be had again');
      return;
    }
    const { skills, vectors, stamp, copy } = event.stats;
    const version = copy?.version;
    this.#logger.info(
      { skills, vectors, stamp, version, milliseconds: Math.round(event.milliseconds) },
      'catalogue reloaded',
    );
  };

  readonly onState = (event: StateEvent): void => {
    if (event.kind === 'away') {
      this.#logger.error({ reason: event.error.message }, 'keys and quotas cannot be asked');
      return;
    }
    this.#logger.info({ milliseconds: Math.round(event.milliseconds) }, 'keys and quotas can be asked again');
  };

  info(message: string, facts: Readonly<Record<string, unknown>> = {}): void {
    this.#logger.info(facts, message);
  }

  warn(message: string, facts: Readonly<Record<string, unknown>> = {}): void {
    this.#logger.warn(facts, message);
  }

  write(level: 'info' | 'warn' | 'error', message: string, facts: Readonly<Record<string, unknown>> = {}): void {
    this.#logger[level](facts, message);
  }

  /** Writes the buffered lines, as far as the reader takes them. */
  close(): void {
    this.#attemptsLeft = LAST_ATTEMPTS;
    try {
      this.#flush();
    } catch {
      // Nothing is buffered, or the reader has gone.
    }
  }
}

/** An error for the log. Our messages have those of their causes, which pino would append once more. */
function shown(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const serialized = stdSerializers.err(error);
  const { cause } = error;
  if (cause instanceof Error && error.message.includes(cause.message)) serialized.message = error.message;
  return serialized;
}

function nameLevel(level: string): { level: string } {
  return { level };
}

function levelOf(status: number): Level {
  if (status < 500) return 'info';
  return status === 500 ? 'error' : 'warn';
}
