import { shortNameOf } from '../query/member-name.ts';
import { spellProperty } from '../query/property-name.ts';

/** Whose events an analysis follows. */
export interface Followed {
  /**
   * Full name of a dimension of events, such as `TrackedEvents.props.company`: the events of each of its values are
   * followed together, whoever the users are. Events without a value, or with an empty one, count for none. Undefined:
   * users are followed.
   */
  readonly follow?: string | undefined;
}

/** A dimension of events as people write it: `docHost`, `"Plan type"`. */
export function spellDimension(name: string): string {
  return spellProperty(shortNameOf(name));
}

/** What an analysis follows, in words: `a user` and `users`, or `a value of company` and `values of company`. */
interface FollowedWords {
  readonly one: string;
  readonly many: string;
  /** The title of a number of them: `Users`. */
  readonly title: string;
}

export function followedWords({ follow: name }: Followed): FollowedWords {
  if (name === undefined) return { one: 'a user', many: 'users', title: 'Users' };
  const spelled = spellDimension(name);
  return { one: `a value of ${spelled}`, many: `values of ${spelled}`, title: `Values of ${spelled}` };
}
