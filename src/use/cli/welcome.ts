/** What `sluice` alone says. */
export const welcome = `sluice asks product analytics questions and reports the answers.

  sluice sample                  make sample events to play with
  sluice model                   see what can be asked
  sluice query 'pageViewsCount by docPath last 30 days top 10'
  sluice query --help            all the ways to ask
  sluice doctor                  check the set-up

With events of your own:  sluice query 'count by eventType' --events 'events/*.ndjson.gz'
`;
