import { installationKey, licenseKey } from '../../core/index.js';
import { storedInstallations } from './stored-installations.js';
import { storedInvocable } from './stored-invocable.js';
import { storedLicense } from './stored-license.js';

/** The key of skills that no model may call, among the labels `invocable`. */
export const NOT_INVOCABLE = 'false';

/** The labels of the columns that are read from properties. */
export const PROPERTY_LABELS_NAMES = ['licenses', 'installations', 'invocable'] as const;
export type PropertyLabelsName = (typeof PROPERTY_LABELS_NAMES)[number];

/** The labels that follow from the properties of a skill: JSON, as `toColumns` writes it. */
export const PROPERTY_LABELS: Readonly<Record<PropertyLabelsName, (properties: string) => readonly string[]>> = {
  licenses: (properties) => {
    const key = licenseKey(storedLicense(properties) ?? '');
    return key === undefined || key === '' ? [] : [key];
  },
  installations: (properties) => {
    const keys = storedInstallations(properties).map(({ agent, scope }) => installationKey(agent, scope));
    return [...new Set(keys)];
  },
  invocable: (properties) => (storedInvocable(properties) ? [] : [NOT_INVOCABLE]),
};
