/** What a model's text may be given from outside. */
export interface TemplateValues {
  /** What a server knows about the user who asks: `SECURITY_CONTEXT`, and `COMPILE_CONTEXT.securityContext`. */
  readonly securityContext?: Readonly<Record<string, unknown>> | undefined;
}
