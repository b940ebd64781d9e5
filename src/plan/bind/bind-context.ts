import type { Issue } from '../../ask/outcome.ts';
import type { TimeContext, Weekday } from '../../ask/time/range.ts';
import type { Catalog } from '../model/catalog.ts';

/** The context in which a query is bound to a model. */
export interface BindContext {
  /** The present in epoch milliseconds, or a function of the query's zone (a canonical name). */
  readonly now: number | ((zone: string) => number);
  /** The zone of queries that name none; defaults to UTC. */
  readonly zone?: string | undefined;
  /** Defaults to Monday. */
  readonly weekStart?: Weekday | undefined;
  /** Only events of this project. */
  readonly project?: string | undefined;
  /**
   * `remote`: 10,000 rows by default, 50,000 at most. `local`: 10,000 rows by default, any explicit limit. `none`: all
   * rows.
   */
  readonly limits: 'local' | 'remote' | 'none';
  /** `remote`: a server answers, and supports only its own measures. Defaults to local. */
  readonly reach?: 'local' | 'remote' | undefined;
  /** True for the load API, which ignores unknown members in an order, as Cube does. They are errors elsewhere. */
  readonly ignoresUnknownOrder?: boolean | undefined;
}

/** State shared by the steps of binding: names, clock, and the list of issues. */
export interface Binding {
  readonly catalog: Catalog;
  readonly time: TimeContext;
  readonly issues: Issue[];
  /** Join paths of view members, each from the view's root. Steps of binding add to it. */
  readonly paths?: (readonly string[])[] | undefined;
  /** The reason why attributed dimensions (`Cube.firstTouch.utmSource`) are not allowed here. */
  readonly noTouches?: NoTouches | undefined;
  /** True if a server answers, which supports only Cube's operators. */
  readonly isRemote?: boolean | undefined;
  /** True if the values of lists are not allowed here, because each row is one event. */
  readonly noLists?: boolean | undefined;
  /** Whether names may also be those of columns of the event files. */
  readonly byColumns?: boolean | undefined;
  /** Dimensions that the plan can test although the query does not select them. */
  readonly beside?: readonly string[] | undefined;
  /** See `BindContext`. */
  readonly ignoresUnknownOrder?: boolean | undefined;
  /** Names of the cohorts that members need. Steps of binding add to it. */
  readonly cohorts?: Set<string> | undefined;
}

interface NoTouches {
  /** A sentence. */
  readonly reason: string;
  readonly hint: string;
}
