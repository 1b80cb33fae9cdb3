export type Json = Readonly<Record<string, unknown>>;

/** An operation of an OpenAPI document. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly Json[];
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Json>>;
}

/** An OpenAPI document, as far as our own code reads it. */
export interface ApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<'title' | 'version' | 'summary' | 'description', string>> & { readonly license: Json };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: readonly Json[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}
