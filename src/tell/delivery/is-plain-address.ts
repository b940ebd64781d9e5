/** Of the web, and without anything that lets in who reads it. */
export function isPlainAddress(address: string): boolean {
  const url = URL.parse(address);
  return (url?.protocol === 'https:' || url?.protocol === 'http:') && url.username === '' && url.password === ''
    && ![...url.searchParams.keys()].some((name) => /token|secret|password|signature|^sig$|key$/i.test(name));
}
