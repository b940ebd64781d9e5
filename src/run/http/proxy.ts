/** The address of a proxy, and the hosts that are asked without it, as `NO_PROXY` lists them. */
export interface Proxy {
  readonly url: string;
  readonly except?: string | undefined;
}
