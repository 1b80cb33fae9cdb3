import type { ConfigFormat } from './config-format.js';
import { JSON_CONFIG } from './json-config.js';
import { TOML_CONFIG } from './toml-config.js';

/** The formats by their names. */
export const CONFIG_FORMATS: { readonly [name in ConfigFormat['name']]: ConfigFormat } = {
  json: JSON_CONFIG,
  toml: TOML_CONFIG,
};
