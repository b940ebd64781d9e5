import type { FoundModel } from './found-models.ts';

const year = ['2024-01-01', '2024-12-31'];

const orders = `
  - name: orders
    sql_table: orders
    public: false
    joins:
      - {name: users, relationship: many_to_one, sql: "{CUBE}.user_id = {users.id}"}
      - {name: line_items, relationship: one_to_many, sql: "{CUBE}.id = {line_items.order_id}"}
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: status, sql: status, type: string}
      - {name: city, sql: city, type: string}
      - {name: created_at, sql: created_at, type: time}
    measures:
      - {name: count, type: count}
      - {name: revenue, type: sum, sql: amount}
`;

const users = `
  - name: users
    sql_table: users
    public: false
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: name, sql: name, type: string}
      - {name: city, sql: city, type: string}
      - {name: plan, sql: plan, type: string}
      - {name: place, type: geo, latitude: {sql: lat}, longitude: {sql: lon}}
    hierarchies:
      - {name: location, title: Location, levels: [city, name]}
    measures: [{name: count, type: count}]
`;

const lineItems = `
  - name: line_items
    sql_table: line_items
    public: false
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: order_id, sql: order_id, type: number}
      - {name: product, sql: product_id, type: number}
    measures: [{name: quantity, type: sum, sql: quantity}]
`;

/** Models that combine several constructs, as large ones do. */
export const combinedModels: readonly FoundModel[] = [
  {
    what: 'sub-queries, hierarchies and nested folders behind a view of private cubes',
    model: `
cubes:
${orders.replace(
  '    measures:',
  `      - {name: pieces, sql: "{line_items.quantity}", type: number, sub_query: true}
    measures:
      - {name: average_pieces, type: avg, sql: "{pieces}"}`,
)}${users}${lineItems}
views:
  - name: shop
    cubes:
      - {join_path: orders, includes: "*", excludes: [city]}
      - {join_path: orders.users, prefix: true, includes: [city, name, {name: plan, alias: tier}]}
    folders:
      - name: People
        includes: [users_city, {name: Tiers, includes: [users_tier]}]
`,
    asked: [
      {
        query: { measures: ['shop.average_pieces', 'shop.revenue'], dimensions: ['shop.users_tier'] },
        sql: `SELECT u.plan, avg(p), sum(amount) FROM (SELECT *, (SELECT sum(quantity) FROM line_items l WHERE l.order_id = o.id) AS p FROM orders o) AS o
              LEFT JOIN users u ON u.id = o.user_id GROUP BY 1`,
      },
      {
        query: {
          measures: ['shop.count'],
          dimensions: ['shop.pieces'],
          filters: [{ member: 'shop.users_city', operator: 'equals', values: ['Vienna'] }],
        },
        sql: `SELECT (SELECT sum(quantity) FROM line_items l WHERE l.order_id = o.id) AS p, count(*)
              FROM orders o JOIN users u ON u.id = o.user_id WHERE u.city = 'Vienna' GROUP BY 1`,
      },
    ],
  },
  {
    what: 'running totals, windows to date and other times beside each other in a view with a prefix',
    model: `
cubes:
${orders.replace(
  '      - {name: revenue, type: sum, sql: amount}',
  `      - {name: revenue, type: sum, sql: amount}
      - {name: running, type: running_total, sql: amount}
      - {name: qtd, type: sum, sql: amount, rolling_window: {type: to_date, granularity: quarter}}
      - {name: before, multi_stage: true, type: number, sql: "{revenue}", time_shift: [{interval: 1 year, type: prior}]}`,
)}${users}${lineItems}
views:
  - name: board
    cubes:
      - {join_path: orders, prefix: true, includes: [running, qtd, before, revenue, created_at, status]}
`,
    asked: [
      {
        query: {
          measures: ['board.orders_running', 'board.orders_qtd'],
          timeDimensions: [{ dimension: 'board.orders_created_at', granularity: 'month', dateRange: year }],
          filters: [{ member: 'board.orders_status', operator: 'equals', values: ['done'] }],
        },
        sql: `SELECT m, (SELECT sum(amount) FROM orders WHERE status = 'done' AND created_at >= '2024-01-01' AND created_at < m + INTERVAL 1 MONTH),
                (SELECT sum(amount) FROM orders WHERE status = 'done' AND created_at >= date_trunc('quarter', m) AND created_at < m + INTERVAL 1 MONTH)
              FROM (SELECT unnest(generate_series(TIMESTAMP '2024-01-01', TIMESTAMP '2024-12-01', INTERVAL 1 MONTH)) AS m)`,
      },
      {
        query: {
          measures: ['board.orders_before'],
          dimensions: ['board.orders_status'],
          timeDimensions: [{ dimension: 'board.orders_created_at', granularity: 'month', dateRange: year }],
        },
        sql: `SELECT status, date_trunc('month', created_at + INTERVAL 1 YEAR)::TIMESTAMP, sum(amount) FROM orders WHERE year(created_at) = 2023 GROUP BY 1, 2`,
      },
    ],
  },
  {
    what: 'places, custom aggregates and cases of a joined cube, in a view with an alias',
    model: `
cubes:
${orders}${users.replace(
  '    measures: [{name: count, type: count}]',
  `      - {name: unused, levels: [plan]}
    measures:
      - {name: count, type: count}
      - {name: middle, type: number_agg, sql: "median({CUBE}.lat)"}`,
)}${lineItems}
views:
  - name: map
    cubes:
      - {join_path: orders, includes: [count]}
      - {join_path: orders.users, alias: buyer, prefix: true, includes: [place, city]}
  - name: people
    cubes: [{join_path: users, includes: [middle, count, plan]}]
`,
    asked: [
      {
        query: { measures: ['map.count'], dimensions: ['map.buyer_place'] },
        sql: `SELECT u.lat::VARCHAR || ',' || u.lon::VARCHAR, count(*) FROM orders o LEFT JOIN users u ON u.id = o.user_id GROUP BY 1`,
      },
      {
        query: { measures: ['people.middle', 'people.count'], dimensions: ['people.plan'] },
        sql: 'SELECT plan, median(lat), count(*) FROM users GROUP BY 1',
      },
    ],
  },
  {
    what: 'filters inside the rows and a security context below a view with segments',
    values: { securityContext: { cities: ['Vienna', 'Graz'] } },
    model: `
cubes:
  - name: visible
    public: false
    sql: >
      SELECT *, row_number() OVER (PARTITION BY user_id ORDER BY created_at) AS nth FROM orders
      WHERE {SECURITY_CONTEXT.cities.filter('city')} AND {FILTER_PARAMS.visible.created_at.filter('created_at')}
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: nth, sql: nth, type: number}
      - {name: created_at, sql: created_at, type: time}
    measures: [{name: count, type: count}]
    segments: [{name: first, sql: "{nth} = 1"}]
views:
  - name: secured
    cubes: [{join_path: visible, includes: "*"}]
`,
    asked: [
      {
        // A filter on the view's member reaches the rows below it: the first row is chosen within the range.
        query: {
          measures: ['secured.count'],
          segments: ['secured.first'],
          timeDimensions: [{ dimension: 'secured.created_at', dateRange: year }],
        },
        sql: `SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY user_id ORDER BY created_at) AS nth FROM orders
              WHERE city IN ('Vienna', 'Graz') AND year(created_at) = 2024) WHERE nth = 1`,
      },
      {
        query: { measures: ['secured.count'], dimensions: ['secured.nth'] },
        sql: `SELECT nth, count(*) FROM (SELECT row_number() OVER (PARTITION BY user_id ORDER BY created_at) AS nth FROM orders
              WHERE city IN ('Vienna', 'Graz')) GROUP BY 1`,
      },
    ],
  },
  {
    what: 'windows and other times over rows that the query filters inside',
    model: `
cubes:
  - name: orders
    sql: SELECT * FROM orders WHERE {FILTER_PARAMS.orders.created_at.filter('created_at')}
    dimensions: [{name: created_at, sql: created_at, type: time}]
    measures:
      - {name: count, type: count}
      - {name: ten, type: count, rolling_window: {trailing: 10 day}}
      - {name: ahead, type: count_distinct, sql: id, rolling_window: {leading: 1 month, offset: start}}
      - {name: running, type: count, rolling_window: {trailing: unbounded}}
      - {name: year_before, type: number, sql: "{count}", multi_stage: true, time_shift: [{interval: 1 year, type: prior}]}
`,
    asked: [
      {
        query: {
          measures: ['orders.ten'],
          timeDimensions: [
            { dimension: 'orders.created_at', granularity: 'day', dateRange: ['2024-03-10', '2024-03-11'] },
          ],
        },
        sql: `SELECT * FROM (VALUES (TIMESTAMP '2024-03-10', 2), (TIMESTAMP '2024-03-11', 2))`,
      },
      {
        query: {
          measures: ['orders.ahead'],
          timeDimensions: [
            { dimension: 'orders.created_at', granularity: 'day', dateRange: ['2024-03-10', '2024-03-11'] },
          ],
        },
        sql: `SELECT * FROM (VALUES (TIMESTAMP '2024-03-10', 3), (TIMESTAMP '2024-03-11', 2))`,
      },
      {
        query: {
          measures: ['orders.running'],
          timeDimensions: [{ dimension: 'orders.created_at', dateRange: ['2024-03-10', '2024-03-11'] }],
        },
        sql: 'SELECT 8',
      },
      {
        query: {
          measures: ['orders.year_before'],
          timeDimensions: [{ dimension: 'orders.created_at', dateRange: ['2024-03-01', '2024-03-31'] }],
        },
        sql: 'SELECT 2',
      },
    ],
  },
  {
    what: 'windows and other times over sub-queries that take the filters of the query',
    model: `
cubes:
${orders.replace(
  '    measures:',
  `      - {name: pieces, sql: "{line_items.quantity}", type: number, sub_query: true, propagate_filters_to_sub_query: true}
    measures:
      - {name: pieces_sum, type: sum, sql: "{pieces}"}
      - {name: pieces_before, multi_stage: true, type: number, sql: "{pieces_sum}", time_shift: [{interval: 1 year, type: prior}]}
      - {name: pieces_running, type: sum, sql: "{pieces}", rolling_window: {trailing: unbounded}}
      - {name: pieces_quarter, type: sum, sql: "{pieces}", rolling_window: {trailing: 3 month}}`,
)}${users}${lineItems}
  - name: buyers
    sql_table: users
    joins: [{name: orders, relationship: one_to_many, sql: "{CUBE}.id = {orders}.user_id"}]
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: spent, sql: "{orders.revenue}", type: number, sub_query: true, propagate_filters_to_sub_query: true}
    measures:
      - {name: total, type: sum, sql: "{spent}"}
      - {name: before, multi_stage: true, type: number, sql: "{total}", time_shift: [{interval: 1 year, type: prior}]}
`,
    asked: [
      {
        query: {
          measures: ['orders.pieces_sum', 'orders.pieces_before'],
          timeDimensions: [{ dimension: 'orders.created_at', granularity: 'month', dateRange: year }],
        },
        sql: `WITH o AS (SELECT *, date_trunc('month', created_at) AS m, (SELECT sum(quantity) FROM line_items l WHERE l.order_id = o.id) AS p FROM orders o)
              SELECT coalesce(a.m, b.m), CASE WHEN a.m IS NULL THEN 0 ELSE a.p END, b.p
              FROM (SELECT m, sum(p) AS p FROM o WHERE year(m) = 2024 GROUP BY 1) AS a
              FULL JOIN (SELECT m + INTERVAL 1 YEAR AS m, sum(p) AS p FROM o WHERE year(m) = 2023 GROUP BY 1) AS b ON a.m = b.m`,
      },
      {
        query: {
          measures: ['orders.pieces_running', 'orders.pieces_quarter'],
          timeDimensions: [{ dimension: 'orders.created_at', granularity: 'month', dateRange: year }],
          filters: [{ member: 'orders.status', operator: 'equals', values: ['done'] }],
        },
        sql: `WITH o AS (SELECT *, (SELECT sum(quantity) FROM line_items l WHERE l.order_id = o.id) AS p FROM orders o WHERE status = 'done')
              SELECT m, (SELECT sum(p) FROM o WHERE created_at < m + INTERVAL 1 MONTH),
                (SELECT sum(p) FROM o WHERE created_at >= m - INTERVAL 2 MONTH AND created_at < m + INTERVAL 1 MONTH)
              FROM (SELECT unnest(generate_series(TIMESTAMP '2024-01-01', TIMESTAMP '2024-12-01', INTERVAL 1 MONTH)) AS m)`,
      },
      {
        query: {
          measures: ['buyers.total', 'buyers.before'],
          timeDimensions: [{ dimension: 'orders.created_at', dateRange: year }],
        },
        sql: `SELECT sum(amount) FILTER (year(created_at) = 2024), sum(amount) FILTER (year(created_at) = 2023) FROM orders WHERE user_id IS NOT NULL`,
      },
    ],
  },
  {
    what: 'a template that writes measures by a loop, a view by a macro, and asks the security context',
    values: { securityContext: { statuses: ['done', 'open'] } },
    model: `
{%- macro view(name, fields) -%}
{name: {{ name }}, cubes: [{join_path: orders, includes: [{{ fields | join(', ') }}]}]}
{%- endmacro %}
cubes:
  - name: orders
    sql_table: orders
    public: false
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: city, sql: city, type: string}
    measures:
      {%- for status in COMPILE_CONTEXT.securityContext.statuses %}
      - {name: {{ status }}_count, type: count, filters: [{sql: "{CUBE}.status = '{{ status }}'"}]}
      - {name: {{ status }}_share, type: number, sql: "1.0 * { {{- status -}} _count} / nullif({count}, 0)"}
      {%- endfor %}
      - {name: count, type: count}
views:
  - {{ view('statuses', ['done_count', 'open_count', 'done_share', 'city']) }}
`,
    asked: [
      {
        query: {
          measures: ['statuses.done_count', 'statuses.open_count', 'statuses.done_share'],
          dimensions: ['statuses.city'],
        },
        sql: `SELECT city, count(*) FILTER (status = 'done'), count(*) FILTER (status = 'open'), 1.0 * count(*) FILTER (status = 'done') / count(*) FROM orders GROUP BY 1`,
      },
    ],
  },
  {
    what: 'groups that are finer, coarser and ranked, over a sub-query of a joined cube, behind a view',
    model: `
cubes:
${orders.replace(
  '      - {name: revenue, type: sum, sql: amount}',
  `      - {name: revenue, type: sum, sql: amount}
      - {name: in_status, multi_stage: true, type: sum, sql: "{revenue}", group_by: [status]}
      - {name: part, multi_stage: true, type: number, sql: "{revenue} / nullif({in_status}, 0)"}
      - {name: most_of_user, multi_stage: true, type: max, sql: "{revenue}", add_group_by: [users.id]}
      - {name: place, multi_stage: true, type: rank, order_by: [{sql: "{revenue}", dir: desc}], reduce_by: [city]}`,
)}${users.replace('    hierarchies', '      - {name: orders_made, sql: "{bought.count}", type: number, sub_query: true}\n    joins: [{name: bought, relationship: one_to_many, sql: "{CUBE}.id = {bought}.user_id"}]\n    hierarchies')}${lineItems}
  - name: bought
    sql_table: orders
    dimensions: [{name: id, sql: id, type: number, primary_key: true}]
    measures: [{name: count, type: count}]
views:
  - name: ranks
    cubes:
      - {join_path: orders, includes: "*"}
      - {join_path: orders.users, prefix: true, includes: [orders_made]}
`,
    asked: [
      {
        query: { measures: ['ranks.revenue', 'ranks.part', 'ranks.place'], dimensions: ['ranks.city', 'ranks.status'] },
        sql: `WITH g AS (SELECT city, status, sum(amount) AS r FROM orders GROUP BY 1, 2)
              SELECT city, status, r, r / (SELECT sum(r) FROM g o WHERE o.status = g.status), 1 + (SELECT count(*) FROM g o WHERE o.status = g.status AND o.r > g.r) FROM g`,
      },
      {
        query: { measures: ['ranks.most_of_user'], dimensions: ['ranks.users_orders_made'] },
        sql: `SELECT n, max(r) FROM (SELECT (SELECT count(*) FROM orders x WHERE x.user_id = o.user_id) AS n, user_id, sum(amount) AS r
              FROM orders o WHERE user_id IS NOT NULL GROUP BY 1, 2) GROUP BY 1
              UNION ALL SELECT NULL, sum(amount) FROM orders WHERE user_id IS NULL`,
      },
    ],
  },
  {
    what: 'switches and granularities of its own, behind views that do not show the switch',
    model: `
cubes:
${orders.replace(
  '    measures:',
  `      - {name: money, type: switch, values: [EUR, USD]}
      - name: day
        sql: created_at
        type: time
        granularities: [{name: half_week, interval: 84 hours, origin: "2024-01-01"}]
    measures:
      - {name: in_money, multi_stage: true, type: number, case: {switch: "{CUBE.money}", when: [{value: EUR, sql: "{revenue}"}], else: {sql: "{count}"}}}`,
)}${users}${lineItems}
views:
  - name: money
    cubes: [{join_path: orders, includes: [count, day, revenue, city]}]
`,
    asked: [
      {
        query: {
          measures: ['money.revenue'],
          timeDimensions: [{ dimension: 'money.day', granularity: 'week', dateRange: ['2024-02-26', '2024-03-17'] }],
        },
        sql: `SELECT date_trunc('week', created_at)::TIMESTAMP, sum(amount) FROM orders WHERE created_at >= '2024-02-26' AND created_at < '2024-03-18' GROUP BY 1`,
      },
      {
        query: {
          measures: ['money.revenue'],
          timeDimensions: [
            { dimension: 'money.day', granularity: 'half_week', dateRange: ['2024-02-26', '2024-03-17'] },
          ],
        },
        sql: `SELECT b, sum(amount) FROM orders, (SELECT unnest(generate_series(TIMESTAMP '2024-01-01', TIMESTAMP '2024-04-01', INTERVAL 84 HOUR)) AS b)
              WHERE created_at >= b AND created_at < b + INTERVAL 84 HOUR AND created_at >= '2024-02-26' AND created_at < '2024-03-18' GROUP BY 1`,
      },
    ],
  },
  {
    what: 'views that extend views over cubes that extend cubes, with members of each hidden',
    model: `
cubes:
${orders}${users}${lineItems}
  - name: open_orders
    extends: orders
    sql: SELECT * FROM orders WHERE status <> 'lost'
    dimensions:
      - name: size
        type: string
        case: {when: [{sql: "{CUBE}.amount >= 20", label: large}], else: {label: small}}
    measures:
      - {name: revenue, type: sum, sql: "{CUBE}.amount * 2"}
      - {name: large, type: count, filters: [{sql: "{size} = 'large'"}], public: false}
views:
  - name: base
    public: false
    cubes: [{join_path: open_orders, includes: [count, revenue, large]}]
  - name: sizes
    extends: base
    cubes:
      - {join_path: open_orders, includes: [size]}
      - {join_path: open_orders.users, prefix: true, includes: "*", excludes: [id, place]}
      - {join_path: open_orders.line_items, includes: [quantity]}
`,
    asked: [
      {
        query: { measures: ['sizes.count', 'sizes.revenue', 'sizes.large'], dimensions: ['sizes.size'] },
        sql: `SELECT CASE WHEN amount >= 20 THEN 'large' ELSE 'small' END, count(*), sum(amount * 2), count(*) FILTER (amount >= 20) FROM orders WHERE status <> 'lost' GROUP BY 1`,
      },
      {
        // Each order counts once, however many items it has.
        query: { measures: ['sizes.revenue', 'sizes.quantity'], dimensions: ['sizes.users_plan'] },
        sql: `SELECT plan, sum(amount * 2), sum(q) FROM (SELECT u.plan, o.amount, (SELECT sum(quantity) FROM line_items l WHERE l.order_id = o.id) AS q
              FROM orders o LEFT JOIN users u ON u.id = o.user_id WHERE status <> 'lost') GROUP BY 1`,
      },
    ],
  },
  {
    what: 'values of joined cubes, from one row and from many, and texts of measures, over rows that joins repeat',
    model: `
cubes:
${orders.replace(
  '      - {name: revenue, type: sum, sql: amount}',
  `      - {name: revenue, type: sum, sql: amount}
      - {name: of_pro, type: sum, sql: amount, filters: [{sql: "{users.plan} = 'pro'"}]}
      - {name: value, type: sum, sql: "{CUBE}.amount * {line_items}.quantity"}
      - {name: north, type: sum, sql: "{CUBE}.amount * {users}.lat"}
      - {name: of_large, type: count, filters: [{sql: "{line_items}.quantity > 1"}]}
      - {name: most, type: max, sql: "{CUBE}.amount * {line_items}.quantity"}
      - {name: text, type: string, sql: "concat({count}, ' of ', {users.count})"}`,
)}${users}${lineItems}
`,
    asked: [
      {
        query: {
          measures: ['orders.revenue', 'orders.of_pro', 'orders.north'],
          dimensions: ['line_items.product'],
        },
        sql: `WITH r AS (SELECT DISTINCT o.id, o.amount, u.plan, u.lat, l.product_id AS p FROM orders o LEFT JOIN users u ON u.id = o.user_id LEFT JOIN line_items l ON l.order_id = o.id)
              SELECT p, sum(amount), sum(amount) FILTER (plan = 'pro'), sum(amount * lat) FROM r GROUP BY 1`,
      },
      {
        query: {
          measures: ['orders.most', 'orders.revenue'],
          dimensions: ['orders.status'],
        },
        sql: `SELECT status, max(amount * quantity), (SELECT sum(amount) FROM orders x WHERE x.status = o.status)
              FROM orders o LEFT JOIN line_items l ON l.order_id = o.id GROUP BY 1`,
      },
      {
        query: { measures: ['orders.text'], dimensions: ['users.plan'] },
        sql: `SELECT plan, concat(count(*), ' of ', count(DISTINCT u.id)) FROM orders o LEFT JOIN users u ON u.id = o.user_id GROUP BY 1`,
      },
      // One order has several quantities, so it cannot count once.
      {
        query: {
          measures: ['orders.value', 'orders.count'],
          dimensions: ['orders.status'],
        },
        refused: 'value-of-many',
      },
      { query: { measures: ['orders.of_large'] }, refused: 'value-of-many' },
    ],
  },
  {
    what: 'stages along the time: ranks of months, totals over months, averages of days, and times before',
    model: `
cubes:
${orders.replace(
  '      - {name: revenue, type: sum, sql: amount}',
  `      - {name: revenue, type: sum, sql: amount}
      - {name: place, multi_stage: true, type: rank, order_by: [{sql: "{revenue}", dir: desc}], reduce_by: [created_at]}
      - {name: place_again, multi_stage: true, type: number, sql: "{place}"}
      - {name: all_months, multi_stage: true, type: sum, sql: "{revenue}", reduce_by: [created_at]}
      - {name: month_total, multi_stage: true, type: sum, sql: "{revenue}", group_by: [created_at]}
      - {name: per_moment, multi_stage: true, type: avg, sql: "{revenue}", add_group_by: [created_at]}
      - {name: before, multi_stage: true, type: number, sql: "{revenue}", time_shift: [{interval: 1 year, type: prior}]}
      - {name: before_own, multi_stage: true, type: number, sql: "{revenue}", time_shift: [{time_dimension: created_at, interval: 1 year, type: prior}]}
      - {name: twice_before, multi_stage: true, type: number, sql: "{before}", time_shift: [{interval: 1 year, type: prior}]}`,
)}${users}${lineItems}
views:
  - name: times
    cubes: [{join_path: orders, includes: "*"}]
`,
    asked: [
      {
        query: {
          measures: ['times.place', 'times.place_again', 'times.all_months', 'times.month_total'],
          dimensions: ['times.status'],
          timeDimensions: [
            {
              dimension: 'times.created_at',
              granularity: 'month',
              dateRange: year,
            },
          ],
        },
        sql: `WITH g AS (SELECT status, date_trunc('month', created_at)::TIMESTAMP AS m, sum(amount) AS r FROM orders WHERE year(created_at) = 2024 GROUP BY 1, 2)
              SELECT status, m, rank() OVER s AS a, rank() OVER s AS b, sum(r) OVER (PARTITION BY status), sum(r) OVER (PARTITION BY m)
              FROM g WINDOW s AS (PARTITION BY status ORDER BY r DESC)`,
      },
      {
        query: {
          measures: ['times.per_moment'],
          timeDimensions: [
            {
              dimension: 'times.created_at',
              granularity: 'month',
              dateRange: year,
            },
          ],
        },
        sql: `SELECT date_trunc('month', created_at)::TIMESTAMP, avg(amount) FROM orders WHERE year(created_at) = 2024 GROUP BY 1`,
      },
      {
        query: {
          measures: ['times.before', 'times.before_own', 'times.revenue'],
          timeDimensions: [
            {
              dimension: 'times.created_at',
              dateRange: ['2024-01-01', '2024-03-31'],
            },
          ],
        },
        sql: `SELECT sum(amount) FILTER (year(created_at) = 2023) AS a, sum(amount) FILTER (year(created_at) = 2023) AS b, sum(amount) FILTER (year(created_at) = 2024)
              FROM orders WHERE quarter(created_at) = 1`,
      },
      // A shift does not move a filter, so both years would have the same figure.
      ...['before', 'before_own'].flatMap((measure) => [
        {
          query: {
            measures: [`times.${measure}`],
            filters: [
              {
                or: [
                  {
                    member: 'times.created_at',
                    operator: 'inDateRange',
                    values: year,
                  },
                ],
              },
            ],
          },
          refused: 'shifted-filter',
        },
        {
          query: {
            measures: [`times.${measure}`],
            dimensions: ['times.created_at'],
          },
          refused: 'shifted-filter',
        },
      ]),
      {
        query: {
          measures: ['times.twice_before'],
          timeDimensions: [{ dimension: 'times.created_at', dateRange: year }],
        },
        refused: 'shifted-window',
      },
    ],
  },
  {
    what: 'granularities with offsets, in a time zone, of a cube behind a view with a prefix',
    model: `
cubes:
${orders.replace(
  '      - {name: created_at, sql: created_at, type: time}',
  `      - name: created_at
        sql: created_at
        type: time
        granularities:
          - {name: half_from_march, interval: 6 months, offset: 2 months}
          - {name: fiscal_quarter, interval: 1 quarter, offset: 1 month}
          - {name: fortnight, interval: 2 weeks, origin: "2024-01-03"}
          - {name: business_day, interval: 1 day, offset: 8 hours}
          - {name: mid_month, interval: 1 month, offset: 14 days}`,
)}${users}${lineItems}
views:
  - name: eastern
    cubes: [{join_path: orders, prefix: true, includes: [count, created_at]}]
`,
    asked: Object.entries({
      half_from_march: `date_trunc('year', t - INTERVAL 2 MONTH) + INTERVAL 2 MONTH + INTERVAL 6 MONTH * ((month(t) + 9) % 12 // 6)`,
      fiscal_quarter: `date_trunc('quarter', t - INTERVAL 1 MONTH) + INTERVAL 1 MONTH`,
      fortnight: `time_bucket(INTERVAL 14 DAY, t, TIMESTAMP '2024-01-03')`,
      business_day: `date_trunc('day', t - INTERVAL 8 HOUR) + INTERVAL 8 HOUR`,
      mid_month: `date_trunc('month', t - INTERVAL 14 DAY) + INTERVAL 14 DAY`,
    }).map(([granularity, bucket]) => ({
      query: {
        measures: ['eastern.orders_count'],
        timeDimensions: [{ dimension: 'eastern.orders_created_at', granularity }],
        timezone: 'America/New_York',
      },
      sql: `SELECT CAST(${bucket} AS TIMESTAMP), count(*)
            FROM (SELECT timezone('America/New_York', timezone('UTC', created_at)) AS t FROM orders) GROUP BY 1`,
    })),
  },
];
