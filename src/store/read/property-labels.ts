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

/** The labels of the columns that are read from properties. */
export const PROPERTY_LABELS_NAMES = ['licenses', 'installations', 'invocable'] as const;
export type PropertyLabelsName = (typeof PROPERTY_LABELS_NAMES)[number];

export const PROPERTY_LABELS: Readonly<Record<PropertyLabelsName, PropertyLabels>> = {
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
};
