import {
  campaigns,
  customEvents,
  elements,
  hostileTitles,
  hosts,
  linkTargets,
  paths,
  places,
  referrers,
  titles,
} from './site.ts';
import { agents } from './visitors.ts';

// The texts of a code: values by canonical event column. Missing values have no key.

export type Texts = Readonly<Record<string, string | number | undefined>>;

/** Page view, link click, custom event. */
export type EventType = 0 | 1 | 2;
const types = ['pageview', 'link_click', 'custom_event'] as const;

const searches = ['', ...campaigns];

export function pageCode(type: EventType, project: number, path: number, search: number): number {
  return ((project * paths.length + path) * searches.length + search) * types.length + type;
}

/** By page code. */
export function pageTexts(projects: readonly number[]): readonly Texts[] {
  return projects.flatMap((project, place) =>
    paths.flatMap((path) =>
      searches.flatMap((search) =>
        types.map(
          (type): Texts => ({
            project_id: String(project),
            event_type: type,
            doc_host: hostOf(place),
            doc_path: path,
            doc_search: search,
            url: `https://${hostOf(place)}${path}${search}`,
          }),
        ),
      ),
    ),
  );
}

function hostOf(project: number): string {
  return hosts[project % hosts.length]!;
}

/** The title of the front page depends on the visitor's language. */
export function titleCode(path: number, place: number): number {
  return path === frontPage ? place : places.length + path;
}
const frontPage = paths.indexOf('/');

export const hostileTitle = places.length + paths.length;
export const hostileTitleCount = hostileTitles.length;

export const titleTexts: readonly Texts[] = [
  ...places.map(({ welcome }) => welcome),
  ...paths.map((path) => titles[path] ?? path),
  ...hostileTitles,
].map((page_title): Texts => ({ page_title }));

/** The code of a referring page of the site. Lower codes mean no referrer, or external pages. */
export function refererCode(project: number, path: number): number {
  return 1 + referrers.length + project * paths.length + path;
}

export function refererTexts(projects: readonly number[]): readonly Texts[] {
  return [
    '',
    ...referrers,
    ...projects.flatMap((_, place) => paths.map((path) => `https://${hostOf(place)}${path}`)),
  ].map((referer): Texts => ({ referer }));
}

export const agentTexts: readonly Texts[] = agents.map(({ browser, viewport, place }): Texts => {
  const { language, offset } = places[place]!;
  return {
    agent_name: browser.agentName,
    agent_version: browser.agentVersion,
    os_family: browser.osFamily,
    os_name: browser.osName,
    useragent: browser.useragent,
    browser_language: language,
    document_language: language.slice(0, 2),
    viewport_size: viewport,
    local_tz_offset: offset,
    doc_encoding: 'UTF-8',
  };
});

const clicks = linkTargets.flatMap((target_url) => elements.map((element_id): Texts => ({ target_url, element_id })));
const customs = customEvents.map((custom_event_name): Texts => ({ custom_event_name }));

/** By code; 0 means none. */
export const extraTexts: readonly Texts[] = [{}, ...clicks, ...customs];
export const clickExtras = { first: 1, count: clicks.length } as const;
export const customExtras = { first: 1 + clicks.length, count: customs.length } as const;

/** The event type is the lowest part of a page code. */
export function isCustom(page: number): boolean {
  return page % types.length === 2;
}
