/** RFC 3986, appendix B, reduced to the parts in use. The host excludes user and port. */
export const urlParts: readonly (readonly [column: string, pattern: string])[] = [
  ['doc_host', '^[a-zA-Z][a-zA-Z0-9+.-]*://(?:[^/?#@]*@)?(\\[[^\\]/?#]*\\]|[^/?#:]*)'],
  ['doc_path', '^(?:[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*)?([^?#]*)'],
  ['doc_search', '^[^?#]*(\\?[^#]*)'],
  ['base_url', '^([a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*)'],
];
