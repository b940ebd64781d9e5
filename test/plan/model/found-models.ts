import type { TemplateValues } from '../../../src/plan/model/context-call.ts';

export interface FoundModel {
  readonly what: string;
  readonly model: string;
  readonly asked: readonly {
    readonly query: object;
    /** Handwritten; columns in the answer's order: dimensions, buckets, measures. */
    readonly sql?: string;
    /** The code of the issue, if it is refused. */
    readonly refused?: string;
  }[];
  readonly values?: TemplateValues;
  /** Omitted members with the reason. */
  readonly leftOut?: Readonly<Record<string, string>>;
}

/** A shop, the usual example of public models. */
const shop = `
cubes:
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
      - {name: product_line, sql: product_line, type: string}
      - {name: created_at, sql: created_at, type: time}
    measures:
      - {name: count, type: count}
      - {name: revenue, type: sum, sql: amount, format: currency}
      - {name: done, type: count, filters: [{sql: "{CUBE}.status = 'done'"}]}
      - {name: average, type: number, sql: "{revenue} / nullif({count}, 0)"}
    segments:
      - {name: is_done, sql: "{CUBE}.status = 'done'"}
  - name: users
    sql_table: users
    public: false
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: name, sql: name, type: string}
      - {name: city, sql: city, type: string, title: Home town}
      - {name: plan, sql: plan, type: string, public: false}
    measures:
      - {name: count, type: count}
  - name: line_items
    sql_table: line_items
    joins:
      - {name: products, relationship: many_to_one, sql: "{CUBE}.product_id = {products.id}"}
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: order_id, sql: order_id, type: number}
    measures:
      - {name: quantity, type: sum, sql: quantity}
  - name: products
    sql_table: products
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: name, sql: name, type: string}
      - {name: category, sql: category, type: string}
    measures:
      - {name: count, type: count}
`;

const march = ['2024-03-01', '2024-03-31'];

export const foundModels: readonly FoundModel[] = [
  {
    what: 'a view over private cubes, with a prefix, an alias, excludes and folders',
    model: `${shop}
views:
  - name: sales
    description: What was sold, and to whom
    cubes:
      - join_path: orders
        includes: "*"
        excludes: [city]
      - join_path: orders.users
        prefix: true
        includes: [city, {name: plan, alias: tier, title: Tier}]
      - join_path: orders.line_items.products
        alias: item
        prefix: true
        includes: [category]
    folders:
      - {name: Customer, includes: [users_city, users_tier]}
`,
    asked: [
      {
        query: { measures: ['sales.count', 'sales.revenue'], dimensions: ['sales.users_city'] },
        sql: `SELECT u.city, count(*), sum(o.amount) FROM orders o LEFT JOIN users u ON o.user_id = u.id GROUP BY 1`,
      },
      {
        query: {
          measures: ['sales.average'],
          dimensions: ['sales.users_tier'],
          segments: ['sales.is_done'],
          filters: [{ member: 'sales.users_city', operator: 'set' }],
        },
        sql: `SELECT u.plan, sum(o.amount) / count(*) FROM orders o JOIN users u ON o.user_id = u.id
              WHERE o.status = 'done' AND u.city IS NOT NULL GROUP BY 1`,
      },
      {
        // Each order counts once per category.
        query: { measures: ['sales.revenue'], dimensions: ['sales.item_category'] },
        sql: `SELECT category, sum(amount) FROM (SELECT DISTINCT o.id, o.amount, p.category FROM orders o
              LEFT JOIN line_items l ON l.order_id = o.id LEFT JOIN products p ON p.id = l.product_id) GROUP BY 1`,
      },
      {
        query: {
          measures: ['sales.count'],
          timeDimensions: [{ dimension: 'sales.created_at', granularity: 'day', dateRange: march }],
          filters: [{ member: 'sales.count', operator: 'gt', values: ['0'] }],
        },
        sql: `SELECT date_trunc('day', created_at), count(*) FROM orders
              WHERE created_at >= '2024-03-01' AND created_at < '2024-04-01' GROUP BY 1`,
      },
    ],
  },
  {
    what: "a view whose path decides the join, also where only the far end's members are asked",
    model: `${shop}
views:
  - name: bought
    cubes:
      - {join_path: orders.line_items.products, includes: [name, count]}
      - {join_path: orders, includes: [count], prefix: true}
`,
    asked: [
      {
        query: { dimensions: ['bought.name'] },
        sql: `SELECT DISTINCT p.name FROM orders o LEFT JOIN line_items l ON l.order_id = o.id LEFT JOIN products p ON p.id = l.product_id`,
      },
      {
        query: { measures: ['bought.count'] },
        sql: `SELECT count(DISTINCT p.id) FROM orders o LEFT JOIN line_items l ON l.order_id = o.id LEFT JOIN products p ON p.id = l.product_id`,
      },
    ],
  },
  {
    what: 'views that extend each other, and views of what is not there',
    model: `${shop}
views:
  - name: base
    public: false
    cubes: [{join_path: orders, includes: [count, status]}]
  - name: wide
    extends: base
    cubes:
      - {join_path: orders.users, prefix: true, includes: "*", excludes: [plan]}
      - {join_path: orders.products, includes: [category]}
      - {join_path: orders.payments, includes: [method]}
      - {join_path: orders.users, includes: [shoe_size]}
`,
    asked: [
      {
        query: { measures: ['wide.count'], dimensions: ['wide.status', 'wide.users_name'] },
        sql: 'SELECT status, name, count(*) FROM orders o LEFT JOIN users u ON u.id = o.user_id GROUP BY 1, 2',
      },
      { query: { measures: ['base.count'] }, sql: 'SELECT count(*) FROM orders' },
    ],
    leftOut: {
      'wide.category': 'No join leads from "orders" to "products".',
      'wide.method': 'There is no cube "payments".',
      'wide.shoe_size': 'There is no member "users.shoe_size".',
    },
  },
  {
    what: 'two ways to one cube within a view',
    model: `
cubes:
  - name: orders
    sql_table: orders
    joins:
      - {name: users, relationship: many_to_one, sql: "{CUBE}.user_id = {users}.id"}
      - {name: line_items, relationship: one_to_many, sql: "{CUBE}.id = {line_items}.order_id"}
    dimensions: [{name: id, sql: id, type: number, primary_key: true}]
    measures: [{name: count, type: count}]
  - name: line_items
    sql_table: line_items
    joins: [{name: users, relationship: many_to_one, sql: "{CUBE}.id = {users}.id"}]
    dimensions: [{name: id, sql: id, type: number, primary_key: true}]
  - name: users
    sql_table: users
    dimensions: [{name: id, sql: id, type: number, primary_key: true}, {name: city, sql: city, type: string}]
views:
  - name: v
    cubes:
      - {join_path: orders, includes: [count]}
      - {join_path: orders.users, includes: [{name: city, alias: buyer_city}]}
      - {join_path: orders.line_items.users, includes: [{name: city, alias: packer_city}]}
`,
    asked: [
      {
        query: { measures: ['v.count'], dimensions: ['v.packer_city'] },
        sql: `SELECT u.city, count(DISTINCT o.id) FROM orders o LEFT JOIN line_items l ON l.order_id = o.id LEFT JOIN users u ON u.id = l.id GROUP BY 1`,
      },
      { query: { measures: ['v.count'], dimensions: ['v.packer_city', 'v.buyer_city'] }, refused: 'two-paths' },
    ],
  },
  {
    what: 'quoted and multi-part names of tables',
    model: `
cubes:
  - name: items
    sql_table: '"Shop"."Order Items"'
    measures: [{name: count, type: count}]
  - name: ticked
    sql_table: '\`warehouse.shop.orders\`'
    measures: [{name: count, type: count}]
  - name: plain
    sql_table: warehouse.shop.orders
    measures: [{name: count, type: count}]
  - name: bracketed
    sql_table: '[Shop].[Order Items]'
    measures: [{name: quantity, type: sum, sql: quantity}]
`,
    asked: [
      { query: { measures: ['items.count'] }, sql: 'SELECT count(*) FROM line_items' },
      { query: { measures: ['ticked.count'] }, sql: 'SELECT count(*) FROM orders' },
      { query: { measures: ['plain.count'] }, sql: 'SELECT count(*) FROM orders' },
      { query: { measures: ['bracketed.quantity'] }, sql: 'SELECT sum(quantity) FROM line_items' },
    ],
  },
  {
    what: 'custom aggregates over rows that a join repeats',
    model: `
cubes:
  - name: orders
    sql_table: orders
    joins: [{name: line_items, relationship: one_to_many, sql: "{CUBE}.id = {line_items}.order_id"}]
    dimensions: [{name: id, sql: id, type: number, primary_key: true}, {name: amount, sql: amount, type: number}]
    measures:
      - {name: total, type: number, sql: "sum({amount})"}
      - {name: rows, type: number, sql: "COUNT(*)"}
      - {name: median, type: number_agg, sql: "median({CUBE}.amount)"}
  - name: line_items
    sql_table: line_items
    dimensions: [{name: id, sql: id, type: number, primary_key: true}, {name: product, sql: product_id, type: number}]
`,
    asked: [
      {
        query: { measures: ['orders.total', 'orders.rows', 'orders.median'] },
        sql: 'SELECT sum(amount), count(*), median(amount) FROM orders',
      },
      ...['total', 'rows', 'median'].map((measure) => ({
        query: { measures: [`orders.${measure}`], dimensions: ['line_items.product'] },
        refused: 'own-aggregate',
      })),
    ],
  },
  {
    what: 'places, custom aggregates and keys that only make Cube faster',
    model: `
cubes:
  - name: users
    sql: SELECT * FROM users;
    refresh_key: {every: 1 hour}
    data_source: default
    pre_aggregations: [{name: main, measures: [median], type: rollup}]
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: place, type: geo, latitude: {sql: "{CUBE}.lat"}, longitude: {sql: "{CUBE}.lon"}}
      - {name: latitude, sql: lat, type: number}
    measures:
      - {name: median, type: number_agg, sql: "median({CUBE}.lat)"}
      - {name: spread, type: numberAgg, sql: "max({latitude}) - min({latitude})"}
`,
    asked: [
      {
        query: { dimensions: ['users.place'] },
        sql: `SELECT DISTINCT lat::VARCHAR || ',' || lon::VARCHAR FROM users`,
      },
      {
        query: { measures: ['users.median', 'users.spread'] },
        sql: 'SELECT median(lat), max(lat) - min(lat) FROM users',
      },
    ],
  },
  {
    what: 'running totals and windows that start anew',
    model: `
cubes:
  - name: orders
    sql_table: orders
    dimensions: [{name: created_at, sql: created_at, type: time}]
    measures:
      - {name: running, type: running_total, sql: amount}
      - {name: all_time, type: sum, sql: amount, rolling_window: {trailing: unbounded}}
      - {name: ytd, type: sum, sql: amount, rolling_window: {type: to_date, granularity: year}}
      - {name: mtd, type: count, rolling_window: {type: to_date, granularity: month}}
`,
    asked: [
      {
        query: {
          measures: ['orders.running', 'orders.all_time', 'orders.ytd', 'orders.mtd'],
          timeDimensions: [
            { dimension: 'orders.created_at', granularity: 'day', dateRange: ['2024-02-28', '2024-03-12'] },
          ],
        },
        sql: `SELECT d, (SELECT sum(amount) FROM orders WHERE created_at >= '2024-02-28' AND created_at < d + INTERVAL 1 DAY),
                (SELECT sum(amount) FROM orders WHERE created_at < d + INTERVAL 1 DAY),
                (SELECT sum(amount) FROM orders WHERE created_at >= date_trunc('year', d) AND created_at < d + INTERVAL 1 DAY),
                (SELECT count(*) FROM orders WHERE created_at >= date_trunc('month', d) AND created_at < d + INTERVAL 1 DAY)
              FROM (SELECT unnest(generate_series(TIMESTAMP '2024-02-28', TIMESTAMP '2024-03-12', INTERVAL 1 DAY)) AS d)`,
      },
    ],
  },
  {
    what: 'windows over other measures, in stages',
    model: `
cubes:
  - name: orders
    sql_table: orders
    dimensions:
      - {name: created_at, sql: created_at, type: time}
      - {name: city, sql: city, type: string}
    measures:
      - {name: count, type: count}
      - {name: done, type: sum, sql: amount, filters: [{sql: "{CUBE}.status = 'done'"}]}
      - {name: least, type: min, sql: amount}
      - {name: buyers, type: count_distinct, sql: user_id}
      - {name: done_ytd, multi_stage: true, type: sum, sql: "{done}", rolling_window: {type: to_date, granularity: year}}
      - {name: count_mtd, multiStage: true, type: sum, sql: "\${CUBE.count}", rollingWindow: {type: to_date, granularity: month}}
      - {name: least_qtd, multi_stage: true, type: min, sql: "{CUBE.least}", rolling_window: {type: to_date, granularity: quarter}}
      - {name: done_30d, multi_stage: true, type: sum, sql: "{orders.done}", rolling_window: {trailing: 30 day}}
      - {name: share_ytd, type: number, sql: "{done_ytd} / {count_mtd}"}
      - {name: buyers_ytd, multi_stage: true, type: sum, sql: "{buyers}", rolling_window: {type: to_date, granularity: year}}
      - {name: twice_ytd, multi_stage: true, type: sum, sql: "{done} * 2", rolling_window: {type: to_date, granularity: year}}
      - {name: again_ytd, multi_stage: true, type: sum, sql: "{done_ytd}", rolling_window: {type: to_date, granularity: year}}
      - {name: gone_ytd, multi_stage: true, type: sum, sql: "{gone}", rolling_window: {type: to_date, granularity: year}}
`,
    leftOut: {
      'orders.buyers_ytd': 'Windows of type "sum" over "buyers", of type "count_distinct", are not supported.',
      'orders.twice_ytd': 'A `multi_stage` measure with a window must be one measure of its cube, without own filters.',
      'orders.again_ytd': '"done_ytd" has its own window, stages or case.',
      'orders.gone_ytd': 'It needs a measure of the same cube, and "gone" is not one.',
    },
    asked: [
      {
        query: {
          measures: ['orders.done_ytd', 'orders.count_mtd', 'orders.least_qtd', 'orders.done_30d', 'orders.share_ytd'],
          timeDimensions: [
            { dimension: 'orders.created_at', granularity: 'day', dateRange: ['2024-02-28', '2024-04-03'] },
          ],
        },
        sql: `SELECT *, done_ytd / count_mtd FROM (
                SELECT d, (SELECT sum(amount) FROM orders WHERE status = 'done' AND created_at >= date_trunc('year', d) AND created_at < d + INTERVAL 1 DAY) AS done_ytd,
                  (SELECT count(*) FROM orders WHERE created_at >= date_trunc('month', d) AND created_at < d + INTERVAL 1 DAY) AS count_mtd,
                  (SELECT min(amount) FROM orders WHERE created_at >= date_trunc('quarter', d) AND created_at < d + INTERVAL 1 DAY),
                  (SELECT sum(amount) FROM orders WHERE status = 'done' AND created_at >= d - INTERVAL 29 DAY AND created_at < d + INTERVAL 1 DAY)
                FROM (SELECT unnest(generate_series(TIMESTAMP '2024-02-28', TIMESTAMP '2024-04-03', INTERVAL 1 DAY)) AS d))`,
      },
      {
        query: {
          measures: ['orders.done_ytd'],
          dimensions: ['orders.city'],
          timeDimensions: [
            { dimension: 'orders.created_at', granularity: 'month', dateRange: ['2024-01-01', '2024-04-30'] },
          ],
        },
        sql: `SELECT city, d, sum(amount) FILTER (status = 'done') FROM orders
              JOIN (SELECT unnest(generate_series(TIMESTAMP '2024-01-01', TIMESTAMP '2024-04-01', INTERVAL 1 MONTH)) AS d)
              ON created_at >= date_trunc('year', d) AND created_at < d + INTERVAL 1 MONTH GROUP BY 1, 2`,
      },
    ],
  },
  {
    what: 'hierarchies, which are listed and change no figure',
    model: `
cubes:
  - name: users
    sql_table: users
    dimensions:
      - {name: city, sql: city, type: string}
      - {name: name, sql: name, type: string}
    hierarchies: [{name: location, title: Location, public: true, levels: [city, name]}]
    measures: [{name: count, type: count}]
`,
    asked: [
      {
        query: { measures: ['users.count'], dimensions: ['users.city', 'users.name'] },
        sql: 'SELECT city, name, count(*) FROM users GROUP BY 1, 2',
      },
    ],
  },
  {
    what: 'cubes that extend others, hidden members, and members that make use of members of other cubes',
    model: `
cubes:
  - name: base
    sql_table: orders
    shown: false
    dimensions:
      - {name: id, sql: id, type: number, primaryKey: true}
      - {name: status, sql: "upper({CUBE}.status)", type: string, shown: false}
    measures:
      - {name: count, type: count, drill_members: [id, nothing_of_that_name]}
  - name: done_orders
    extends: base
    sql: SELECT * FROM orders WHERE status = 'done'
    joins: [{name: users, relationship: belongsTo, sql: "\${CUBE}.user_id = \${users.id}"}]
    measures:
      - {name: per_user, type: number, sql: "1.0 * {count} / nullif({users.count}, 0)"}
  - name: users
    sql_table: users
    dimensions: [{name: id, sql: id, type: number, primary_key: true}]
    measures: [{name: count, type: countDistinct, sql: id}]
`,
    asked: [
      {
        query: { measures: ['base.count'], dimensions: ['base.status'] },
        sql: 'SELECT upper(status), count(*) FROM orders GROUP BY 1',
      },
      {
        query: { measures: ['done_orders.per_user'] },
        sql: `SELECT 1.0 * count(o.id) / count(DISTINCT u.id) FROM orders o LEFT JOIN users u ON o.user_id = u.id WHERE status = 'done'`,
      },
    ],
  },
  {
    what: 'members that cannot be, beside all the others',
    model: `
cubes:
  - name: orders
    sql_table: orders
    joins:
      - {name: elsewhere, relationship: many_to_one, sql: "{CUBE}.user_id = {elsewhere.id}"}
    dimensions:
      - {name: status, sql: status, type: string}
      - {name: shape, sql: shape, type: polygon}
      - {name: far, sql: "{elsewhere.name}", type: string}
    measures:
      - {name: count, type: count}
      - {name: sparkling, type: count, sparkle: true}
      - {name: ratio, type: number, sql: "{sparkling} / {count}"}
      - {name: doubled, type: sum, sql: "{count}"}
      - {name: filtered, type: number, sql: "{count}", filters: [{sql: "status = 'done'"}]}
      - {name: twice, type: sum, sql: amount}
      - {name: twice, type: avg, sql: amount}
      - {name: years, type: count, filters: [{sql: "regexp_matches(status, '[0-9]{4}')"}]}
      - {name: ahead, type: sum, sql: amount, rolling_window: {trailing: -1 day, leading: 3 day}}
      - {name: long, type: count, rolling_window: {trailing: 7 fortnights}}
      - {name: bare, type: count, rolling_window: {offset: start}}
      - {name: middle, type: count, rolling_window: {trailing: 7 day, offset: middle}}
      - {name: ratio_7d, type: number, sql: "{count} / 2", rolling_window: {trailing: 7 day}}
      - {name: secret, type: count, public: COMPILE_CONTEXT.security_context.is_admin}
  - name: fiscal
    calendar: true
    sql_table: orders
    dimensions:
      - {name: date, sql: created_at, type: time, time_shift: [{type: prior, interval: 1 month, sql: "{CUBE}.month_ago"}]}
    measures: [{name: count, type: count}]
  - {name: dated, sql: "SELECT * FROM orders WHERE regexp_matches(status, '[a-z]{2,}')", measures: [{name: count, type: count}]}
`,
    asked: [
      {
        query: { measures: ['orders.count', 'orders.secret'], dimensions: ['orders.status'] },
        sql: 'SELECT status, count(*) AS a, count(*) AS b FROM orders GROUP BY 1',
      },
    ],
    leftOut: {
      'orders joins elsewhere': 'There is no cube "elsewhere" to join.',
      'orders.shape': '"polygon" is not a supported type of a dimension.',
      'orders.far': 'It names the cube "elsewhere", which does not exist.',
      'orders.sparkling': '`sparkle` of a measure is not supported.',
      'orders.ratio': 'It uses "sparkling", which is left out.',
      'orders.doubled': 'It uses the measure "count", but is computed from rows.',
      'orders.filtered': 'A measure of type "number" cannot have filters.',
      'orders.twice': 'The cube "orders" has two measures of this name.',
      'orders.years': '`{4}` is not a reference.',
      ...Object.fromEntries(
        ['ahead', 'long'].map((name) => [
          `orders.${name}`,
          'A rolling window must be `unbounded` or a number of units, such as `7 day`.',
        ]),
      ),
      'orders.bare': 'A rolling window needs `trailing` or `leading`.',
      'orders.middle': 'The `offset` of a rolling window must be `start` or `end`.',
      'orders.ratio_7d': 'A measure of type "number" cannot have a rolling window.',
      'fiscal.date': '`time_shift` of a dimension is not supported.',
      dated: '`{2,}` is not a reference.',
    },
  },
  {
    // The first row within a range differs from the first row overall, so the condition must be inside.
    what: "filters inside a cube's own SQL",
    model: `
cubes:
  - name: firsts
    sql: >
      SELECT user_id, min(created_at) AS first_at, count(*) AS orders FROM orders
      WHERE {FILTER_PARAMS.firsts.first_at.filter('created_at')} AND \${FILTER_PARAMS.firsts.status.filter("status")}
      GROUP BY user_id
    dimensions:
      - {name: user_id, sql: user_id, type: number}
      - {name: first_at, sql: first_at, type: time}
      - {name: status, sql: "CAST(NULL AS VARCHAR)", type: string}
    measures: [{name: orders, type: sum, sql: orders}]
  - name: grouped
    sql: "SELECT count(*) AS n, max(amount) AS top FROM orders WHERE {FILTER_GROUP(FILTER_PARAMS.grouped.low.filter('amount'), FILTER_PARAMS.grouped.high.filter('amount'))}"
    dimensions:
      - {name: low, sql: "top - top + 8", type: number}
      - {name: high, sql: top, type: number}
    measures: [{name: n, type: sum, sql: n}]
  - name: shards
    sql: >
      SELECT * FROM orders WHERE {FILTER_PARAMS.CUBE.created_at.filter(lambda x, y: f"""
        created_at >= CAST({x} AS TIMESTAMP) - INTERVAL 1 DAY AND created_at <= CAST({y} AS TIMESTAMP)
      """)}
    dimensions: [{name: created_at, sql: "created_at + INTERVAL 1 DAY", type: time}]
    measures: [{name: count, type: count}]
`,
    asked: [
      {
        query: {
          measures: ['firsts.orders'],
          dimensions: ['firsts.user_id'],
          timeDimensions: [{ dimension: 'firsts.first_at', dateRange: ['2024-01-01', '2024-03-31'] }],
        },
        sql: `SELECT user_id, count(*) FROM orders WHERE created_at >= '2024-01-01' AND created_at < '2024-04-01' GROUP BY 1`,
      },
      { query: { measures: ['firsts.orders'] }, sql: 'SELECT count(*) FROM orders' },
      {
        query: {
          measures: ['grouped.n'],
          filters: [
            {
              or: [
                { member: 'grouped.low', operator: 'lt', values: ['9'] },
                { member: 'grouped.high', operator: 'gt', values: ['50'] },
              ],
            },
          ],
        },
        sql: 'SELECT count(*) FROM orders WHERE amount < 9 OR amount > 50',
      },
      {
        query: {
          measures: ['shards.count'],
          timeDimensions: [{ dimension: 'shards.created_at', dateRange: ['2024-03-01', '2024-03-11'] }],
        },
        sql: `SELECT count(*) FROM orders WHERE created_at >= '2024-02-29' AND created_at < '2024-03-11'`,
      },
      {
        query: {
          measures: ['firsts.orders'],
          filters: [
            {
              or: [
                { member: 'firsts.status', operator: 'equals', values: ['done'] },
                { member: 'firsts.user_id', operator: 'equals', values: ['1'] },
              ],
            },
          ],
        },
        refused: 'unfit-filter',
      },
    ],
  },
  {
    what: 'a fixed security context',
    values: { securityContext: { city: "Vienna's", cities: ['Vienna', 'Graz'], shop: { schema: 'main' } } },
    model: `
cubes:
  - name: all_of_them
    sql: SELECT * FROM orders WHERE {SECURITY_CONTEXT.nothing.filter('city')}
    measures: [{name: count, type: count}]
  - name: none_of_them
    sql: SELECT * FROM orders WHERE {SECURITY_CONTEXT.city.filter('city')}
    measures: [{name: count, type: count}]
  - name: some
    sql: SELECT * FROM {SECURITY_CONTEXT.shop.schema.unsafeValue()}.orders WHERE {SECURITY_CONTEXT.cities.requiredFilter("city")}
    measures: [{name: count, type: count}]
  - name: unset
    sql: SELECT * FROM orders WHERE {SECURITY_CONTEXT.nothing.requiredFilter('city')}
    measures: [{name: count, type: count}]
`,
    asked: [
      { query: { measures: ['all_of_them.count'] }, sql: 'SELECT count(*) FROM orders' },
      { query: { measures: ['none_of_them.count'] }, sql: 'SELECT 0' },
      { query: { measures: ['some.count'] }, sql: `SELECT count(*) FROM orders WHERE city IN ('Vienna', 'Graz')` },
    ],
    leftOut: { unset: '`SECURITY_CONTEXT.nothing` is not set.' },
  },
  {
    what: 'measures of several stages: other times, shares, ranks and finer groups',
    model: `
cubes:
  - name: orders
    sql_table: orders
    joins: [{name: users, relationship: many_to_one, sql: "{CUBE}.user_id = {users}.id"}]
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: city, sql: city, type: string}
      - {name: status, sql: status, type: string}
      - {name: created_at, sql: created_at, type: time}
    measures:
      - {name: revenue, type: sum, sql: amount}
      - {name: count, type: count}
      - {name: week, type: count, rolling_window: {trailing: 7 day}}
      - {name: prior_year, multi_stage: true, type: number, sql: "{revenue}", time_shift: [{time_dimension: created_at, interval: 1 year, type: prior}]}
      - {name: next_month, multi_stage: true, type: number, sql: "{count} + 0", time_shift: [{interval: 1 month, type: next}]}
      - {name: growth, multi_stage: true, type: number, sql: "{revenue} - {prior_year}"}
      - {name: prior_week, multi_stage: true, type: number, sql: "{week}", time_shift: [{interval: 1 week, type: prior}]}
      - {name: city_revenue, multi_stage: true, type: sum, sql: "{revenue}", group_by: [city]}
      - {name: share, multi_stage: true, type: number, sql: "{revenue} / nullif({city_revenue}, 0)"}
      - {name: all_cities, multi_stage: true, type: sum, sql: "{revenue}", reduce_by: [city]}
      - {name: best, multi_stage: true, type: max, sql: "{revenue}", reduce_by: [city, status]}
      - {name: place, multi_stage: true, type: rank, order_by: [{sql: "{revenue}", dir: desc}], reduce_by: [city]}
      - {name: per_user, multi_stage: true, type: avg, sql: "{revenue}", add_group_by: [users.name]}
      - {name: twice, multi_stage: true, type: sum, sql: "{city_revenue}", reduce_by: [city]}
      - {name: hourly, multi_stage: true, type: number, sql: "{count}", time_shift: [{interval: 3 hours, type: prior}]}
      - {name: named, multi_stage: true, type: number, sql: "{count}", time_shift: [{name: fiscal}]}
      - {name: lost, multi_stage: true, type: sum, sql: "{count}", group_by: [nowhere]}
      - {name: grand, multi_stage: true, type: sum, sql: "{revenue}", group_by: []}
      - {name: share_of_all, multi_stage: true, type: number, sql: "{revenue} / nullif({grand}, 0)"}
  - name: users
    sql_table: users
    dimensions: [{name: id, sql: id, type: number, primary_key: true}, {name: name, sql: name, type: string}]
`,
    asked: [
      {
        query: { measures: ['orders.grand', 'orders.share_of_all'], dimensions: ['orders.city', 'orders.status'] },
        sql: 'SELECT city, status, (SELECT sum(amount) FROM orders), sum(amount) / (SELECT sum(amount) FROM orders) FROM orders GROUP BY 1, 2',
      },
      {
        query: {
          measures: ['orders.share_of_all'],
          dimensions: ['orders.city'],
          filters: [{ member: 'orders.status', operator: 'equals', values: ['done'] }],
        },
        sql: `SELECT city, sum(amount) / (SELECT sum(amount) FROM orders WHERE status = 'done') FROM orders WHERE status = 'done' GROUP BY 1`,
      },
      {
        query: {
          measures: ['orders.revenue', 'orders.prior_year', 'orders.growth'],
          timeDimensions: [
            { dimension: 'orders.created_at', granularity: 'month', dateRange: ['2024-01-01', '2024-12-31'] },
          ],
        },
        sql: `WITH now AS (SELECT date_trunc('month', created_at) AS m, sum(amount) AS r FROM orders WHERE year(created_at) = 2024 GROUP BY 1),
                   old AS (SELECT date_trunc('month', created_at + INTERVAL 1 YEAR) AS m, sum(amount) AS r FROM orders WHERE year(created_at) = 2023 GROUP BY 1)
              SELECT coalesce(now.m, old.m), coalesce(now.r, 0), old.r, coalesce(now.r, 0) - old.r FROM now FULL JOIN old ON now.m = old.m`,
      },
      {
        // 29 January is compared with the leap day.
        query: {
          measures: ['orders.next_month'],
          dimensions: ['orders.city'],
          timeDimensions: [
            { dimension: 'orders.created_at', granularity: 'day', dateRange: ['2024-01-29', '2024-02-11'] },
          ],
          timezone: 'Europe/Vienna',
        },
        sql: `SELECT city, d, count(*) FROM (SELECT city, date_trunc('day', timezone('Europe/Vienna', timezone('UTC', created_at))) - INTERVAL 1 MONTH AS d FROM orders)
              WHERE d >= '2024-01-29' AND d < '2024-02-12' GROUP BY 1, 2`,
      },
      {
        query: { measures: ['orders.prior_year', 'orders.revenue'], dimensions: ['orders.city'] },
        sql: 'SELECT city, sum(amount) AS a, sum(amount) AS b FROM orders GROUP BY 1',
      },
      {
        query: {
          measures: ['orders.revenue', 'orders.city_revenue', 'orders.share', 'orders.all_cities', 'orders.best'],
          dimensions: ['orders.city', 'orders.status'],
        },
        sql: `WITH g AS (SELECT city, status, sum(amount) AS r FROM orders GROUP BY 1, 2)
              SELECT city, status, r, (SELECT sum(amount) FROM orders o WHERE o.city IS NOT DISTINCT FROM g.city),
                r / (SELECT sum(amount) FROM orders o WHERE o.city IS NOT DISTINCT FROM g.city),
                (SELECT sum(amount) FROM orders o WHERE o.status = g.status), (SELECT max(r) FROM g) FROM g`,
      },
      {
        // A condition on groups does not change the whole that shares refer to.
        query: {
          measures: ['orders.share'],
          dimensions: ['orders.city', 'orders.status'],
          filters: [{ member: 'orders.revenue', operator: 'lt', values: ['15'] }],
          order: [['orders.share', 'desc']],
          limit: 2,
        },
        sql: `SELECT city, status, r / sum(r) OVER (PARTITION BY city) FROM (SELECT city, status, sum(amount) AS r FROM orders GROUP BY 1, 2)
              QUALIFY r < 15 ORDER BY 3 DESC, 1, 2 LIMIT 2`,
      },
      {
        query: { measures: ['orders.place'], dimensions: ['orders.city', 'orders.status'] },
        sql: `WITH g AS (SELECT city, status, sum(amount) AS r FROM orders GROUP BY 1, 2)
              SELECT city, status, 1 + (SELECT count(*) FROM g o WHERE o.status = g.status AND o.r > g.r) FROM g`,
      },
      {
        query: { measures: ['orders.per_user', 'orders.revenue'], dimensions: ['orders.status'] },
        sql: `SELECT status, avg(r), sum(r) FROM (SELECT o.status, u.name, sum(amount) AS r FROM orders o LEFT JOIN users u ON u.id = o.user_id GROUP BY 1, 2) GROUP BY 1`,
      },
      { query: { measures: ['orders.twice'], dimensions: ['orders.city'] }, refused: 'nested-stages' },
      { query: { measures: ['orders.share'], ungrouped: true }, refused: 'ungrouped-stage' },
      {
        query: {
          measures: ['orders.prior_week'],
          timeDimensions: [{ dimension: 'orders.created_at', granularity: 'day', dateRange: march }],
        },
        refused: 'shifted-window',
      },
      {
        query: {
          measures: ['orders.prior_year'],
          timeDimensions: [{ dimension: 'orders.created_at', granularity: 'hour', dateRange: march }],
        },
        refused: 'shifted-hours',
      },
    ],
    leftOut: {
      'orders.hourly': 'A time shift must be in days, weeks, months, quarters or years.',
      'orders.named': '"interval" is missing.',
      'orders.lost': 'There is no dimension "orders.nowhere".',
    },
  },
  {
    what: 'dimensions that are made of measures of other cubes',
    model: `
cubes:
  - name: users
    sql_table: users
    joins: [{name: orders, relationship: one_to_many, sql: "{CUBE}.id = {orders.user_id}"}]
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: city, sql: city, type: string}
      - {name: bought, sql: "{orders.count}", type: number, sub_query: true}
      - {name: spent, sql: "coalesce({orders.revenue}, 0)", type: number, sub_query: true}
      - {name: spent_there, sql: "{orders.revenue}", type: number, sub_query: true, propagate_filters_to_sub_query: true}
      - name: kind
        type: string
        case: {when: [{sql: "{bought} > 2", label: often}, {sql: "{bought} > 0", label: seldom}], else: {label: never}}
      - {name: own, sql: "{count}", type: number, sub_query: true}
      - {name: first_status, sql: "min({orders.status})", type: string, sub_query: true}
      - {name: statuses, sql: "count(DISTINCT {orders}.status)", type: number, sub_query: true}
    measures:
      - {name: count, type: count}
      - {name: average_spent, type: avg, sql: "{spent}"}
  - name: orders
    sql_table: orders
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: user_id, sql: user_id, type: number}
      - {name: status, sql: status, type: string}
    measures: [{name: count, type: count}, {name: revenue, type: sum, sql: amount}]
`,
    asked: [
      {
        query: { measures: ['users.count'], dimensions: ['users.bought'] },
        sql: 'SELECT n, count(*) FROM (SELECT (SELECT count(*) FROM orders o WHERE o.user_id = u.id) AS n FROM users u) GROUP BY 1',
      },
      {
        query: { measures: ['users.count', 'users.average_spent'], dimensions: ['users.kind'] },
        sql: `SELECT CASE WHEN n > 2 THEN 'often' WHEN n > 0 THEN 'seldom' ELSE 'never' END, count(*), avg(r)
              FROM (SELECT (SELECT count(*) FROM orders o WHERE o.user_id = u.id) AS n, (SELECT coalesce(sum(amount), 0) FROM orders o WHERE o.user_id = u.id) AS r FROM users u) GROUP BY 1`,
      },
      {
        // The join repeats users; each user's spending counts once.
        query: { measures: ['users.average_spent'], dimensions: ['orders.status'] },
        sql: `SELECT status, avg(r) FROM (SELECT DISTINCT o.status, u.id, (SELECT coalesce(sum(amount), 0) FROM orders x WHERE x.user_id = u.id) AS r
              FROM users u LEFT JOIN orders o ON o.user_id = u.id) GROUP BY 1`,
      },
      {
        query: {
          dimensions: ['users.id', 'users.spent_there', 'users.spent'],
          filters: [{ member: 'orders.status', operator: 'equals', values: ['done'] }],
        },
        sql: `SELECT DISTINCT u.id, (SELECT sum(amount) FROM orders x WHERE x.user_id = u.id AND x.status = 'done') AS a,
              (SELECT sum(amount) FROM orders x WHERE x.user_id = u.id) AS b FROM users u JOIN orders o ON o.user_id = u.id WHERE o.status = 'done'`,
      },
      {
        query: {
          measures: ['users.sum(spent)', 'users.max(bought)', 'users.median(bought)', 'users.distinct(bought)'],
          dimensions: ['users.city'],
        },
        sql: `SELECT city, sum(r), max(n), median(n), count(DISTINCT n) FROM (SELECT u.city, (SELECT count(*) FROM orders o WHERE o.user_id = u.id) AS n,
              (SELECT coalesce(sum(amount), 0) FROM orders o WHERE o.user_id = u.id) AS r FROM users u) GROUP BY 1`,
      },
      {
        query: { measures: ['users.count'], filters: [{ member: 'users.bought', operator: 'gte', values: ['2'] }] },
        sql: 'SELECT count(*) FROM users u WHERE (SELECT count(*) FROM orders o WHERE o.user_id = u.id) >= 2',
      },
      {
        query: { measures: ['users.count'], filters: [{ member: 'users.spent_there', operator: 'gt', values: ['2'] }] },
        refused: 'circular-sub-query',
      },
    ],
    leftOut: Object.fromEntries(
      ['users.own', 'users.first_status', 'users.statuses'].map((name) => [
        name,
        'A `sub_query` must use a measure of another cube.',
      ]),
    ),
  },
  {
    what: 'dimensions of texts whose columns have other types',
    model: `
cubes:
  - name: codes
    sql: "SELECT i AS number, uuid() AS key, DATE '2024-03-01' + CAST(i AS INTEGER) AS day, [7, i] AS list, CAST(i AS DECIMAL(9, 4)) / 2 AS half, CAST(day AS TIMESTAMP) AS at, map(['k'], [i]) AS marks, CAST('ab' AS BLOB) AS bytes FROM range(0, 20) AS r(i)"
    dimensions:
      - {name: number, sql: number, type: string}
      - {name: key, sql: key, type: string}
      - {name: day, sql: day, type: string}
      - {name: list, sql: list, type: string}
      - {name: half, sql: half, type: string}
      - {name: at, sql: at, type: string}
      - {name: marks, sql: marks, type: string}
      - {name: bytes, sql: bytes, type: string}
    measures: [{name: count, type: count}]
`,
    asked: (
      [
        ['number', 'startsWith', '1', 11],
        ['number', 'notContains', '1', 9],
        ['number', 'gt', '18', 9],
        ['key', 'contains', '-', 20],
        ['day', 'contains', '2024-03-1', 10],
        ['day', 'gte', '2024-03-19', 2],
        ['list', 'endsWith', '9]', 2],
        ['number', 'equals', '7', 1],
        ['half', 'equals', '4.5', 1],
        ['half', 'endsWith', '.5', 10],
        ['at', 'equals', '2024-03-02 00:00:00', 1],
        ['at', 'equals', '2024-03-02T00:00:00.000', 1],
        ['marks', 'equals', '{k=7}', 1],
        ['bytes', 'equals', 'ab', 20],
        ...['number', 'key', 'day', 'list', 'half', 'at', 'marks', 'bytes'].flatMap(
          (name) =>
            [
              [name, 'equals', 'x', 0],
              [name, 'notEquals', 'x', 20],
            ] as const,
        ),
      ] as const
    ).map(([name, operator, value, count]) => ({
      query: { measures: ['codes.count'], filters: [{ member: `codes.${name}`, operator, values: [value] }] },
      sql: `SELECT ${count}`,
    })),
  },
  {
    what: 'times that are text, with offsets and without',
    model: `
cubes:
  - name: shipped
    sql: "SELECT unnest(['2024-03-01T00:30:00+02:00', '2024-03-01T23:30:00-0500', '2024-03-01 10:00:00', '2024-03-02', NULL]) AS at"
    dimensions: [{name: at, sql: at, type: time}]
    measures:
      - {name: count, type: count}
      - {name: running, type: count, rolling_window: {trailing: unbounded}}
`,
    asked: [
      {
        query: {
          measures: ['shipped.count', 'shipped.running'],
          timeDimensions: [{ dimension: 'shipped.at', granularity: 'day', dateRange: ['2024-02-29', '2024-03-02'] }],
        },
        sql: `SELECT * FROM (VALUES (TIMESTAMP '2024-02-29', 1, 1), (TIMESTAMP '2024-03-01', 1, 2), (TIMESTAMP '2024-03-02', 2, 4))`,
      },
      {
        query: {
          measures: ['shipped.count'],
          filters: [{ member: 'shipped.at', operator: 'beforeDate', values: ['2024-03-01'] }],
        },
        sql: 'SELECT 1',
      },
    ],
  },
  {
    what: 'granularities of its own',
    model: `
cubes:
  - name: orders
    sql_table: orders
    calendar: false
    dimensions:
      - name: created_at
        sql: created_at
        type: time
        granularities:
          - {name: fiscal_year, interval: 1 year, origin: "2024-04-01"}
          - {name: month, interval: 1 month}
          - {name: sunday_week, title: Week from Sunday, interval: 1 week, offset: -1 day}
          - {name: quarter, title: Season, sql: "date_trunc('quarter', {CUBE}.created_at - INTERVAL 1 MONTH) + INTERVAL 1 MONTH"}
          - {name: quarter_hour, interval: 15 minutes}
          - {name: sprint, interval: 10 days}
    measures:
      - {name: count, type: count}
`,
    asked: [
      {
        query: {
          measures: ['orders.count'],
          timeDimensions: [{ dimension: 'orders.created_at', granularity: 'year' }],
        },
        sql: `SELECT date_trunc('year', created_at)::TIMESTAMP, count(*) FROM orders GROUP BY 1`,
      },
      {
        query: {
          measures: ['orders.count'],
          timeDimensions: [{ dimension: 'orders.created_at', granularity: 'fiscal_year' }],
        },
        sql: `SELECT CASE WHEN month(created_at) >= 4 THEN make_timestamp(year(created_at), 4, 1, 0, 0, 0)
                ELSE make_timestamp(year(created_at) - 1, 4, 1, 0, 0, 0) END, count(*) FROM orders GROUP BY 1`,
      },
      {
        query: {
          measures: ['orders.count'],
          timeDimensions: [
            { dimension: 'orders.created_at', granularity: 'sunday_week', dateRange: ['2024-01-01', '2024-03-31'] },
          ],
          timezone: 'Europe/Vienna',
        },
        sql: `SELECT d - INTERVAL 1 DAY * (dayofweek(d)), count(*) FROM
                (SELECT date_trunc('day', timezone('Europe/Vienna', timezone('UTC', created_at))) AS d FROM orders)
              WHERE d >= '2024-01-01' AND d < '2024-04-01' GROUP BY 1`,
      },
      {
        // The model's own quarter replaces the standard one.
        query: { measures: ['orders.count'], dimensions: ['orders.created_at.quarter'] },
        sql: `SELECT make_timestamp(year(m), (month(m) - 1) // 3 * 3 + 1, 1, 0, 0, 0) + INTERVAL 1 MONTH, count(*)
              FROM (SELECT created_at - INTERVAL 1 MONTH AS m FROM orders) GROUP BY 1`,
      },
      {
        query: { dimensions: ['orders.created_at.quarter_hour'], measures: ['orders.count'], limit: 100 },
        sql: `SELECT strftime(created_at - INTERVAL 1 MINUTE * (minute(created_at) % 15) - INTERVAL 1 SECOND * second(created_at), '%Y-%m-%d %H:%M:%S')::TIMESTAMP, count(*) FROM orders GROUP BY 1`,
      },
      {
        query: {
          measures: ['orders.count'],
          timeDimensions: [{ dimension: 'orders.created_at', granularity: 'sprint' }],
        },
        refused: 'left-out',
      },
      {
        query: {
          measures: ['orders.count'],
          timeDimensions: [{ dimension: 'orders.created_at', granularity: 'fiscal' }],
        },
        refused: 'unknown-value',
      },
    ],
    leftOut: {
      'orders.created_at.sprint':
        'An interval of "10 days" needs an `origin`, because it does not say when its buckets begin.',
    },
  },
  {
    what: 'switches, and cases of them',
    model: `
cubes:
  - name: orders
    sql_table: orders
    joins:
      - {name: line_items, sql: "{CUBE}.id = {line_items}.order_id", relationship: one_to_many}
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: city, sql: city, type: string}
      - {name: created_at, sql: created_at, type: time}
      - {name: currency, type: switch, values: [USD, EUR, GBP]}
      - {name: nothing, type: switch}
      - {name: written, type: switch, values: [A], sql: city}
      - name: currency_name
        type: string
        case:
          switch: "{CUBE.currency}"
          when: [{value: USD, sql: "'dollars'"}, {value: EUR, sql: "'euro''s'"}]
          else: {sql: "'others'"}
      - {name: place, type: string, sql: "concat({currency_name}, ' in ', {city})"}
    measures:
      - {name: count, type: count}
      - {name: usd, type: sum, sql: amount}
      - {name: eur, type: sum, sql: "{CUBE}.amount * 2"}
      - {name: running, type: sum, sql: amount, rolling_window: {trailing: unbounded}}
      - {name: part, type: number, sql: "sum({CUBE}.amount)"}
      - {name: best, multi_stage: true, type: max, sql: "{usd}", add_group_by: [city]}
      - name: in_currency
        multi_stage: true
        type: number
        case:
          switch: "{CUBE.currency}"
          when: [{value: USD, sql: "{CUBE.usd}"}, {value: EUR, sql: "{eur}"}]
          else: {sql: "{count}"}
      - {name: rate, type: number, sql: "{in_currency} / {usd}"}
      - {name: fixed, type: number, case: {switch: "{currency}", when: [], else: {sql: "{count}"}}}
      - {name: added, type: sum, multi_stage: true, case: {switch: "{currency}", when: [{value: USD, sql: "{usd}"}]}}
      - {name: astray, type: number, case: {switch: "{CUBE.city}", when: [{value: USD, sql: "{usd}"}]}}
      - {name: broken, type: number, case: {switch: "{currency}", when: [{sql: "{usd}"}]}}
  - name: line_items
    sql_table: line_items
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: product, sql: product_id, type: number}
    measures:
      - {name: items, type: sum, sql: quantity}
views:
  - name: sales
    cubes: [{join_path: orders, includes: [currency, in_currency, count]}]
`,
    asked: [
      {
        query: {
          measures: ['orders.in_currency', 'orders.usd', 'orders.rate'],
          dimensions: ['orders.currency', 'orders.city'],
        },
        sql: `SELECT 'USD' AS c, city, sum(amount) AS a, sum(amount) AS b, 1.0 AS r FROM orders GROUP BY 2
              UNION ALL SELECT 'EUR', city, sum(amount) * 2, sum(amount), 2.0 FROM orders GROUP BY 2
              UNION ALL SELECT 'GBP', city, count(*), sum(amount), count(*) / sum(amount) FROM orders GROUP BY 2`,
      },
      {
        query: {
          measures: ['orders.in_currency'],
          filters: [{ member: 'orders.currency', operator: 'equals', values: ['EUR'] }],
        },
        sql: 'SELECT sum(amount) * 2 FROM orders',
      },
      {
        query: {
          measures: ['orders.count', 'orders.in_currency'],
          dimensions: ['orders.currency', 'orders.currency_name'],
          filters: [{ member: 'orders.currency', operator: 'notEquals', values: ['USD'] }],
        },
        sql: `SELECT 'EUR' AS c, 'euro''s' AS n, count(*) AS a, sum(amount) * 2 AS b FROM orders UNION ALL SELECT 'GBP', 'others', count(*), count(*) FROM orders`,
      },
      {
        query: { dimensions: ['orders.place'] },
        sql: `SELECT DISTINCT concat(c, ' in ', city) FROM orders, (VALUES ('dollars'), ('euro''s'), ('others')) AS v(c)`,
      },
      {
        query: { measures: ['sales.in_currency'], dimensions: ['sales.currency'] },
        sql: `SELECT 'USD' AS c, sum(amount) AS a FROM orders UNION ALL SELECT 'EUR', sum(amount) * 2 FROM orders UNION ALL SELECT 'GBP', count(*) FROM orders`,
      },
      {
        // The join repeats orders, which still count once per value.
        query: { measures: ['orders.count', 'orders.usd', 'line_items.items'], dimensions: ['orders.currency'] },
        sql: `SELECT c, (SELECT count(*) FROM orders) AS n, (SELECT sum(amount) FROM orders) AS a, (SELECT sum(quantity) FROM line_items) AS q
              FROM (VALUES ('USD'), ('EUR'), ('GBP')) AS v(c)`,
      },
      {
        query: {
          measures: ['orders.running'],
          dimensions: ['orders.currency'],
          timeDimensions: [
            { dimension: 'orders.created_at', granularity: 'month', dateRange: ['2024-01-01', '2024-03-31'] },
          ],
        },
        sql: `SELECT c, m, (SELECT sum(amount) FROM orders WHERE created_at < m + INTERVAL 1 MONTH)
              FROM (VALUES ('USD'), ('EUR'), ('GBP')) AS v(c), (SELECT unnest(generate_series(TIMESTAMP '2024-01-01', TIMESTAMP '2024-03-01', INTERVAL 1 MONTH)) AS m)`,
      },
      { query: { measures: ['orders.fixed'] }, sql: 'SELECT count(*) FROM orders' },
      { query: { measures: ['orders.in_currency'] }, refused: 'open-switch' },
      { query: { measures: ['orders.count'], dimensions: ['orders.currency_name'] }, refused: 'open-switch' },
      {
        query: {
          measures: ['orders.count'],
          filters: [{ member: 'orders.currency', operator: 'equals', values: ['EUR', 'USD'] }],
        },
        refused: 'open-switch',
      },
      { query: { dimensions: ['orders.city', 'orders.currency'], ungrouped: true }, refused: 'ungrouped-switch' },
      { query: { measures: ['orders.best'], dimensions: ['orders.currency'] }, refused: 'switched-stage' },
      {
        query: { measures: ['orders.count'], dimensions: ['orders.currency'], limit: 1, other: true },
        refused: 'other-of-switch',
      },
      {
        query: { measures: ['orders.in_currency', 'line_items.items'], dimensions: ['orders.currency'] },
        refused: 'own-aggregate',
      },
    ],
    leftOut: {
      'orders.nothing': 'A dimension of type "switch" needs `values`, and neither `sql` nor `case`.',
      'orders.written': 'A dimension of type "switch" needs `values`, and neither `sql` nor `case`.',
      'orders.added': 'A `case` chooses among measures: it needs the type `number`, and no `sql`.',
      'orders.astray': '`switch` must name a dimension of type "switch" of the same cube.',
      'orders.broken': 'Its `case` is not valid. "value" must be text, a number or true or false, not nothing.',
    },
  },
  {
    what: 'a view over stages, sub-queries, places and filters inside the rows, all at once',
    values: { securityContext: { line: 'A' } },
    model: `
cubes:
  - name: base_orders
    sql: >
      SELECT * FROM "orders" WHERE {SECURITY_CONTEXT.line.filter('product_line')}
      AND {FILTER_PARAMS.base_orders.status.filter('status')}
    public: false
    joins: [{name: users, relationship: many_to_one, sql: "{CUBE}.user_id = {users.id}"}]
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: status, sql: status, type: string}
      - {name: created_at, sql: created_at, type: time}
    measures:
      - {name: count, type: count}
      - {name: all, multi_stage: true, type: sum, sql: "{count}", reduce_by: [users.city]}
      - {name: share, multi_stage: true, type: number, sql: "1.0 * {count} / {all}"}
      - {name: prior, multi_stage: true, type: number, sql: "{count}", time_shift: [{interval: 1 year, type: prior}]}
  - name: orders
    extends: base_orders
    public: false
    segments: [{name: open, sql: "{CUBE}.status = 'open'"}]
  - name: users
    sql_table: '"users"'
    public: false
    joins: [{name: bought, relationship: one_to_many, sql: "{CUBE}.id = {bought}.user_id"}]
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: city, sql: city, type: string}
      - {name: place, type: geo, latitude: {sql: lat}, longitude: {sql: lon}}
      - {name: orders, sql: "{bought.count}", type: number, sub_query: true}
  - name: bought
    sql_table: orders
    dimensions: [{name: id, sql: id, type: number, primary_key: true}]
    measures: [{name: count, type: count}]
views:
  - name: sales
    cubes:
      - {join_path: orders, includes: "*"}
      - {join_path: orders.users, prefix: true, includes: [city, place, orders]}
`,
    asked: [
      {
        query: { measures: ['sales.count', 'sales.share'], dimensions: ['sales.users_city'] },
        sql: `SELECT u.city, count(*), 1.0 * count(*) / (SELECT count(*) FROM orders WHERE product_line = 'A')
              FROM orders o LEFT JOIN users u ON u.id = o.user_id WHERE product_line = 'A' GROUP BY 1`,
      },
      {
        query: {
          measures: ['sales.count'],
          dimensions: ['sales.users_orders', 'sales.users_place'],
          segments: ['sales.open'],
        },
        sql: `SELECT (SELECT count(*) FROM orders x WHERE x.user_id = u.id) AS n, u.lat::VARCHAR || ',' || u.lon::VARCHAR, count(*)
              FROM orders o LEFT JOIN users u ON u.id = o.user_id WHERE product_line = 'A' AND status = 'open' GROUP BY u.id, u.lat, u.lon`,
      },
      {
        query: {
          measures: ['sales.prior'],
          timeDimensions: [
            { dimension: 'sales.created_at', granularity: 'quarter', dateRange: ['2024-01-01', '2024-12-31'] },
          ],
          filters: [{ member: 'sales.status', operator: 'equals', values: ['done'] }],
        },
        sql: `SELECT date_trunc('quarter', created_at + INTERVAL 1 YEAR)::TIMESTAMP, count(*) FROM orders
              WHERE year(created_at) = 2023 AND product_line = 'A' AND status = 'done' GROUP BY 1`,
      },
    ],
  },
  {
    what: 'sums of rows that joins repeat, beside measures of finer groups and windows',
    model: `
cubes:
  - name: orders
    sql_table: orders
    joins: [{name: line_items, relationship: one_to_many, sql: "{CUBE}.id = {line_items}.order_id"}]
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: city, sql: city, type: string}
      - {name: status, sql: status, type: string}
    measures:
      - {name: revenue, type: sum, sql: amount}
      - {name: of_all, multi_stage: true, type: sum, sql: "{revenue}", group_by: [line_items.product]}
      - {name: best_city, multi_stage: true, type: max, sql: "{revenue}", add_group_by: [city]}
  - name: line_items
    sql_table: line_items
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: product, sql: product_id, type: number}
`,
    asked: [
      {
        query: {
          measures: ['orders.revenue', 'orders.of_all', 'orders.best_city'],
          dimensions: ['line_items.product', 'orders.status'],
        },
        sql: `WITH r AS (SELECT DISTINCT o.id, o.amount, o.city, o.status, l.product_id AS p FROM orders o LEFT JOIN line_items l ON l.order_id = o.id),
                   g AS (SELECT p, status, sum(amount) AS a FROM r GROUP BY 1, 2)
              SELECT p, status, a, sum(a) OVER (PARTITION BY p) AS b,
                (SELECT max(c) FROM (SELECT city, sum(amount) AS c FROM r WHERE r.p IS NOT DISTINCT FROM g.p AND r.status = g.status GROUP BY 1)) AS d FROM g`,
      },
    ],
  },
];
