import type { Issue } from '../../ask/outcome.ts';
import type { TimeContext, Weekday } from '../../ask/time/range.ts';
import type { Catalog } from '../model/catalog.ts';

/** What a query is bound against beside the model. */
export interface BindContext {
  /** The present instant, epoch milliseconds, or what it is for questions in a zone (a canonical name). */
  readonly now: number | ((zone: string) => number);
  /** Zone of queries that name none; UTC by default. */
  readonly zone?: string | undefined;
  /** Monday by default. */
  readonly weekStart?: Weekday | undefined;
  /** Only events of this project. */
  readonly project?: string | undefined;
  /**
   * `remote`: 10,000 rows where the query names no limit, 50,000 at most. `local`: 10,000 rows too, any explicit limit.
   * `none`: all rows.
   */
  readonly limits: 'local' | 'remote' | 'none';
  /** `remote`: a server answers, and knows only its own measures. Local by default. */
  readonly reach?: 'local' | 'remote' | undefined;
}

/** What the steps of binding share: names to look up, the clock, and the list that they add their issues to. */
export interface Binding {
  readonly catalog: Catalog;
  readonly time: TimeContext;
  readonly issues: Issue[];
  /** Cubes over which members of views are reached, from the view's root on; steps of binding add to it. */
  readonly paths?: (readonly string[])[] | undefined;
  /** Why attributed dimensions (`Cube.firstTouch.utmSource`) cannot stand here. */
  readonly noTouches?: NoTouches | undefined;
  /** Names of the cohorts that members need; steps of binding add to it. */
  readonly cohorts?: Set<string> | undefined;
}

export interface NoTouches {
  /** A sentence. */
  readonly reason: string;
  readonly hint: string;
}
