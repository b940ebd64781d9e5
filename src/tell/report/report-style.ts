/** What pages of reports have beside the style of all pages, see `toPageStyle`. */
export const reportStyle = `body { padding-top: 3rem; max-width: 50rem; }
body > header { margin-bottom: 2rem; }
h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -.01em; text-wrap: balance; }
h2, h3, h4, h5, h6 { margin: 2rem 0 .5rem; font-weight: 600; line-height: 1.3; overflow-wrap: anywhere; text-wrap: balance; }
h2 { margin-top: 3rem; font-size: 1.375rem; }
h3 { font-size: 1.0625rem; }
h4, h5, h6 { font-size: 1rem; }
p, ul, ol, blockquote, pre { margin: .75rem 0; }
main p, main li, .lead { max-width: 44rem; text-wrap: pretty; overflow-wrap: anywhere; }
a { color: var(--link); text-underline-offset: .15em; }
.lead { margin: .5rem 0; font-size: 1.125rem; color: var(--quiet); }
code { font: .875em ui-monospace, Menlo, Consolas, monospace; }
pre { padding: .75rem 1rem; overflow-x: auto; background: var(--raised); border-radius: 6px; line-height: 1.45; }
blockquote { margin-left: 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--quiet); }
hr { margin: 2.5rem 0; border: 0; border-top: 1px solid var(--line); }
nav { margin: 2rem 0; padding: .75rem 1.25rem; background: var(--raised); border-radius: 6px; font-size: .9375rem; }
nav ul { margin: 0; padding: 0; list-style: none; columns: 16rem; }
nav li { padding: .125rem 0; break-inside: avoid; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
.cell { margin: 1.75rem 0 2.25rem; }
.cell > h2, .cell > h3, .cell > h4, .cell > h5, .cell > h6 { margin-top: 0; }
.cell figure { margin: .75rem 0; }
.part { margin: 1.25rem 0 .5rem; font-weight: 600; font-size: .9375rem; }
.table { margin: .75rem 0; }
main table { min-width: 60%; }
main th, main td { padding-right: .625rem; padding-left: .625rem; }
.many th, .many td { padding-right: .4rem; padding-left: .4rem; font-size: .8125rem; }
main thead th { vertical-align: bottom; }
.told caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.stats { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .75rem; margin: .75rem 0; }
.stats > div { padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 6px; }
.stats dt { color: var(--quiet); font-size: .875rem; }
.stats .value { font-size: 1.75rem; font-weight: 600; line-height: 1.25; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.stats .aside { margin: 0; }
.date { white-space: nowrap; }
.source { margin: .375rem 0 0; color: var(--quiet); font-size: .8125rem; }
details { margin: .75rem 0; }
summary { font-size: .875rem; color: var(--quiet); }
.alert, .failure { margin: 1.5rem 0; padding: .75rem 1.25rem; border-left: 4px solid var(--alarm); background: var(--raised); border-radius: 0 6px 6px 0; }
.failure pre { padding: 0; background: none; white-space: pre-wrap; overflow-wrap: anywhere; }
.alert p, .failure h2, .failure h3, .failure h4, .failure h5, .failure h6 { margin: 0; font-size: 1rem; font-weight: 600; }
.alert ul { margin: .25rem 0 0; padding-left: 1.25rem; overflow-wrap: anywhere; }
.warning { color: var(--alarm-text); }
.checks { padding: 0; list-style: none; }
.checks li { padding: .25rem 0 .25rem 1.75rem; text-indent: -1.75rem; overflow-wrap: anywhere; }
.checks .state { display: inline-block; width: 1.75rem; text-indent: 0; font-weight: 600; }
.checks .state.bad { width: auto; padding-right: .5rem; color: var(--alarm-text); }
.unseen, .sr-only { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
footer p { margin: .25rem 0; }
footer table { font-size: .8125rem; }
@media (max-width: 35rem) { body { padding-top: 1.5rem; } h1 { font-size: 1.625rem; } th, td { padding: .25rem .5rem; } main table { min-width: 100%; } .stats { grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); } }
:root { --link: #0059a0; --raised: #f5f7f9; --alarm: #d55e00; --alarm-text: #a34700; }
@media screen and (prefers-color-scheme: dark) { :root { --link: #7cc4f2; --raised: #1d2127; --alarm: #e69f00; --alarm-text: #f2b56b; } }
@media print {
@page { margin: 18mm 16mm; }
body { max-width: none; padding: 0; font-size: 10.5pt; } h1 { font-size: 20pt; } h2 { font-size: 14pt; }
nav { display: none; }
h1, h2, h3, h4, h5, h6, .part { break-after: avoid; }
.stats, .alert, .failure, .checks li { break-inside: avoid; }
.table { overflow: visible; } table { font-size: 8.5pt; }
a { color: inherit; text-decoration: none; }
details.asked::details-content { content-visibility: visible; block-size: auto; }
details.asked > summary { list-style: none; }
details:not(.asked) { display: none; }
}`;
