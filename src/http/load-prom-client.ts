import type * as PromClient from 'prom-client';
import { SkillSearchError } from '../index.js';

/**
 * Imports prom-client, a package that only who wants metrics installs. No other file does.
 *
 * @throws {SkillSearchError} `METRICS_PACKAGE_MISSING` if it is not installed
 */
export async function loadPromClient(): Promise<typeof PromClient> {
  try {
    return (await import('prom-client')).default as unknown as typeof PromClient;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const message = 'metrics need the package prom-client, which is not installed: npm install prom-client';
    throw new SkillSearchError('METRICS_PACKAGE_MISSING', message, { cause });
  }
}
