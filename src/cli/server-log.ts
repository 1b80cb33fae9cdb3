import { destination, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';
import type { StateEvent } from '../access/index.js';
import { orUndefined } from '../core/index.js';
import type { LogEvent } from '../http/index.js';
import type { ReloadEvent } from '../index.js';
import type { Output } from './output.js';
import type { LogLevel } from './server-watch.js';

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
    // Asynchronous, so that a slow reader of the log does not delay answers.
    const retryEAGAIN = (): boolean => this.#attemptsLeft-- > 0;
    const stderr =
      error === process.stderr ? destination({ dest: 2, sync: false, maxLength: MAX_WAITING, retryEAGAIN }) : undefined;
    stderr?.on('error', () => {});
    const formatters = { level: (name: string) => ({ level: name }) };
    const options = { level, base: null, timestamp: stdTimeFunctions.isoTime, formatters, serializers: { err: shown } };
    this.#logger = pino(options, stderr ?? error);
    this.#flush = () => stderr?.flushSync();
  }

  /** Logs a request, or an error whose details its client does not see. */
  readonly onEvent = (event: LogEvent): void => {
    const { kind, ...facts } = event;
    if ('error' in facts) {
      this.#logger.error({ requestId: facts.requestId, err: facts.error }, kind);
      return;
    }
    const { status, milliseconds } = facts;
    const level = status < 500 ? 'info' : status === 500 ? 'error' : 'warn';
    this.#logger[level]({ ...facts, milliseconds: Math.round(milliseconds * 100) / 100 }, kind);
  };

  readonly onReload = (event: ReloadEvent): void => {
    if (event.kind === 'failed') {
      const { during, error } = event;
      if (during !== 'fetching') {
        this.#logger.error({ err: error }, 'the catalogue changed but cannot be opened: the previous one stays in use');
        return;
      }
      const reason = error instanceof Error ? error.message : String(error);
      this.write('warn', 'a newer state of the catalogue cannot be had: the present one stays in use', { reason });
      return;
    }
    const milliseconds = Math.round(event.milliseconds);
    if (event.kind === 'reachable') {
      this.info('newer states of the catalogue can be had again', { milliseconds });
      return;
    }
    const { skills, vectors, stamp, copy } = event.stats;
    this.info('catalogue reloaded', { skills, vectors, stamp, version: copy?.version, milliseconds });
  };

  readonly onState = (event: StateEvent): void => {
    if (event.kind === 'away') this.write('error', 'keys and quotas cannot be asked', { reason: event.error.message });
    else this.info('keys and quotas can be asked again', { milliseconds: Math.round(event.milliseconds) });
  };

  readonly info = (message: string, facts: Readonly<Record<string, unknown>> = {}): void =>
    this.write('info', message, facts);

  readonly write = (
    level: 'info' | 'warn' | 'error',
    message: string,
    facts: Readonly<Record<string, unknown>> = {},
  ): void => this.#logger[level](facts, message);

  /** Writes the buffered lines, as far as the reader takes them. */
  close(): void {
    this.#attemptsLeft = LAST_ATTEMPTS;
    // It fails where nothing is buffered, or the reader has gone.
    orUndefined(this.#flush);
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
