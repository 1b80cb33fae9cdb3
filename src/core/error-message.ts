import { type ErrorCode, SkillSearchError } from './errors.js';

/** An error as it goes from thread to thread: only plain values keep what they are. */
export interface ErrorMessage {
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly parameter: string | undefined;
  readonly path: string | undefined;
}

/** What is sent of an error. */
export function messageOf(error: unknown): ErrorMessage {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof SkillSearchError)) return { code: undefined, message, parameter: undefined, path: undefined };
  const { code, parameter, path } = error;
  return { code, message, parameter, path };
}

/** The error that {@link messageOf} was given. */
export function errorOf({ code, message, parameter, path }: ErrorMessage): Error {
  if (code === undefined) return new Error(message);
  return new SkillSearchError(code, message, {
    ...(parameter !== undefined && { parameter }),
    ...(path !== undefined && { path }),
  });
}
