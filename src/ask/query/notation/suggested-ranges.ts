/** Ranges of time that are offered where one can stand, the likeliest first. */
export const suggestedRanges = [
  'last 7 days', 'last 30 days', 'today', 'yesterday', 'last 12 weeks', 'this week', 'last week', 'this month', 'last month', 'last 12 months',
  'month to date', 'this quarter', 'last quarter', 'this year', 'last year', 'year to date', 'last 24 hours',
] as const;
