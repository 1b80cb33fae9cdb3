import { installationKey } from '../../installation-key.js';
import { licenseKey } from '../../license-key.js';
import { storedInstallations } from './stored-installations.js';
import { storedInvocable } from './stored-invocable.js';
import { storedLicense } from './stored-license.js';

/** Labels that follow from the properties of a skill. */
interface PropertyLabels {
  /** Stands in properties that have any. */
  readonly mark: string;
  /** @param properties JSON, as `toColumns` writes it */
  readonly keysOf: (properties: string) => readonly string[];
}

/** The key of skills that no model may call, among the labels `invocable`. */
export const NOT_INVOCABLE = 'false';

/** What the columns know of the properties of skills, by the name of the labels. */
export const PROPERTY_LABELS = {
  licenses: {
    mark: '"license":',
    keysOf: (properties) => {
      const key = licenseKey(storedLicense(properties) ?? '');
      return key === undefined || key === '' ? [] : [key];
    },
  },
  installations: {
    mark: '"installations":[',
    keysOf: (properties) => {
      const keys = storedInstallations(properties).map(({ agent, scope }) => installationKey(agent, scope));
      return [...new Set(keys)];
    },
  },
  invocable: {
    mark: '"invocable":false',
    keysOf: (properties) => (storedInvocable(properties) ? [] : [NOT_INVOCABLE]),
  },
} as const satisfies Readonly<Record<string, PropertyLabels>>;

export type PropertyLabelsName = keyof typeof PROPERTY_LABELS;

export const PROPERTY_LABELS_NAMES: readonly PropertyLabelsName[] = ['licenses', 'installations', 'invocable'];
