// Made from the files of the fonts by test/show/picture/text-width.test.ts (`vitest --update`), which also says when
// they no longer agree.
// Widths in thousandths of an em, `gap+count*width` by code point, in base 36; see `text-width.ts`.

/** Noto Sans. */
export const sansWidths = `
0 c+78 i+78 7h bc hy fw n3 kc 69 2*8c fb fw 7g 8y 7g ac a*fw 2*7g 3*fw c2 oz hr i2 hk ka fg ef k8 kl 9f 7l h7 ek p7 l4
lp gt lp ha f9 fg kb go pu ga fq fw 95 ac 95 fw cc 7t fl h3 dc h3 fo 9k h3 h6 2*76 eu 76 pz h6 gt 2*h3 bh db a1 h6 e4
lu ep e6 d2 ak fb ak fw x+78 7h 4*fw fb e9 g4 n4 9x e5 fw 8y n4 dw bw fw 2*9q 7t hb i7 7g 69 9q ag e5 kp lf lp c2 6*hr
oh hk 4*fg 4*9f ka l4 5*lp fw lp 4*kb fq gt hj 6*fl o0 dc 4*fo 4*76 gt h6 5*gt fw gt 4*h6 e6 h3 e6 hr fl hr fl hr fl
hk dc hk dc hk dc hk dc ka h3 ka h5 fg fo fg fo fg fo fg fo fg fo k8 h3 k8 h3 k8 h3 k8 h3 kl h6 kl h6 9f 76 9f 76 9f
76 9f 76 9f 76 h0 ec 7l 76 h7 2*eu ek 76 ek 76 ek 76 ek 7g ek 76 l4 h6 l4 h6 l4 h6 j4 l4 h6 lp gt lp gt lp gt ps qa ha
bh ha bh ha bh f9 db f9 db f9 db f9 db fg a1 fg a1 fg a1 kb h6 kb h6 kb h6 kb h6 kb h6 kb h6 pu lu fq e6 fq fw d2 fw
d2 fw d2 92 h3 ka 2*h3 hn h0 2*hk dz ka mi 2*h3 gs fg kj gc gd bi k8 fu py 9o 9f h7 eu 76 f2 sm l4 h6 lq ls h4 tv nh
j1 h3 ha f9 db fw 9x a1 g0 a1 fg lo iq lq kb g0 f2 fw d2 2*g8 2*du fu g8 dm cv gb 9c ff ec 7h zw xc u5 m5 lq ec sp sa
oc hr fl 9f 76 lp gt kb h6 kb h6 kb h6 kb h6 kb h6 fo hr fl hr fl oh o0 k8 h3 k8 h3 h7 eu lp gt lp gt g8 du 76 zw xc
u5 k8 h3 q2 id l4 h6 hs fl oh o0 lp gt hr fl hr fl fg fo fg fo 9f 76 9f 76 lp gt lp gt ha bh ha bh kb h6 kb h6 f9 db
fg a1 fz ds kl h6 kl nz in gk fw d2 hr fl fg fo lp gt lp gt lp gt lp gt fq e6 al kp as 76 2*r0 hr hk dc ek fg db d2 cg
c4 i2 kb gx fg fo 7l 76 lb h3 ha bh fq e6 fl 3*h3 dc er 2*h3 2*fo ls df dm jj go 76 2*h3 fy 2*e4 3*h6 76 98 8w ai 9q
75 i9 3*pz 2*h6 hk gt o0 lq k5 5*bh 2*9m 2*fj db 4*76 2*a1 h6 2*gt e4 lu e6 d6 d2 f2 2*du 3*bu d1 lp g0 go fy hp 76 eu
c3 h3 2*bu qo r9 so l3 e5 2*ny ie gr e5 ge 2*hf 2*b6 4o 3*7g a3 e7 98 4v 9z 3*4v 2*4p 2*81 4*7x 2*bm 4g ah 2*7t 4g ah
2*7t 2*8y 2*59 3*7i 80 av 53 8c 6t cf c7 6u 7w 96 4o 8n 9k 7p 8*bm dr 9z 2*bi 2*97 99 7t 2*c7 cf 7g 4*7y 2*em eu q*0
8p 2d*0 cb ae i8 i6 2*4n lc hv 2+6s 3*dc 7g 7l 4+6i i0 jo 7g k0 p5 ej 1+ov 1+lo nd 98 hr i2 dv hr fg fw kl lp 9f h7 gx
p7 l4 hc lp kb gt 1+fw fg fq nf ga mt jx 9f fq hb d2 gw 98 gm hb h1 ec gc d2 cs gw gi 98 eu ef he ec dm gt i5 go dj h2
dm gm k5 gi kt m7 98 gm gt gm m7 h7 ht hb gg ma gg k5 nu eu l7 gt hk dc e5 ed dr fg gh eh e+ix go dc 76 lq dr dq gt h3
hk p7 k6 gt 3*hk 2*fg jw e5 hr f9 2*7w 7l s2 sj jv hd l0 h4 kb hq h2 i2 e5 k9 fg p5 g1 2*l0 hd je p7 kn l5 kd gt hs fg
h4 mp gc kk ip sr si j1 nl gv hz rr hq fg gl fo c6 gv fb l3 dk 2*h9 er gb lc h2 gi gu gw dp cx e5 kh e7 h0 gd ou ox hb
l3 f5 dq m7 g1 2*fb h7 c6 dp d0 3*76 nv oq h9 er h9 e5 gu pj lx ir hm pm km iz fw pt lo k9 hs rc nl gb dm mc l5 lq gt
hn ec hn ec xw uf mt ib si p4 pj lx hv do gx 7*0 lt ib h3 gi h1 h3 es c4 eq c2 i3 et p4 m4 g1 dk im fh hd ep hd eu j9
hb kz i9 mn ki tc nz ln hu hk dc fg d7 fq e4 fq e4 hj fc ny k4 jj h9 je gu je h6 nl ih nl ih 9f p5 l3 jc fk jz gb kb
h9 l0 ie je h1 ph kz 9f hr fl hr fl oh o0 fg fo kj fo kj fo p5 l3 g1 dk g8 du l0 h9 l0 h9 lp gt lq gt lq gt hz dq h4
e5 h4 e5 h4 e6 ip gd eq c1 nl l3 eq c2 hk fa ga ep 2*h3 p2 oz p5 mh hl ex re nv s7 ph l4 hu jv i8 gd df js ga qa mh me
mq p8 og lp h3 pu lu hd er s1 mq ub ob kp hv k9 hu kc he 136 xb j9 gj jj gk r4+3*0 5m 2*l8 se 2*dn f8 lt np jf 4*fd
4*sf lc mq fn gf hp hn jh km l0 km e0 g5 ev fn k3 fu hr er h3 2*ff fs lf fv jj gm g4 2*bd iu 2*l4 fg iw g2 is er 0 77
0 cz 3*77 8*0 4*77 0 7l 77 pc 7*0 lc mq fn km ev fn lf g4 np jf 2*0 aj gn a*eg bu 8t 2*l8 2*sf 2*l8 ff kn g5 fo kn d1
f1 fv 1h7+ed 1x0+h*0 4+0 1+8*0 c1+fi g5 co gy au oy hl hm go 3b+en jp o0 g0 ei 2*gk cx dm 7n 9n e8 c9 k8 h6 hm ei 3*gu
qa fb 2*hm dy 2*en cx gk h6 lv h6 db js d2 dm bu e1 c9 du gk dy i3 g3 bj fx 2*br d7 2*a1 d5 de 64 4x b6 9h ge 2*dq e4
c4 ax b8 a1 d7 gt 2*a5 b4 fm 2*b4 2*a7 8q 8u b4 4z 9n gw b6 ax 8o 2*bg b4 6j 2*b6 gw 96 94 be 9d ax d3 9y 4o 7g b6 96
be 9d ax d3 9y pu 2*h3 9k pz h6 h3 bh 9m db a1 d2 h3 bi ga r7 8w 9m h3 gk gt 2*h3 9k lo eu 76 pz h6 h3 bh db bs e4 ep
d2 fl 2*h3 fo dp dm i1 76 dc 76 h6 dm b4 8o 9l ax 8v 68 4o b4 b6 4o 69 2*5s 4o 4n 4o 7v 2*gw 2*b6 bf ax d3 8n 4o 6j b6
ax ar b2 96 2*8i 9s 90 ar 1m*0 1+5*0 hr fl i2 h3 i2 h3 i2 h3 hk dc ka h3 ka h3 ka h3 ka h3 ka h3 fg fo fg fo fg fo fg
fo fg fo ef 9k k8 h3 kl h6 kl h6 kl h6 kl h6 kl h6 9f 76 9f 76 h7 eu h7 eu h7 eu ek 76 ek 76 ek 76 ek 76 p7 pz p7 pz
p7 pz l4 h6 l4 h6 l4 h6 l4 h6 lp gt lp gt lp gt lp 2*gt h3 gt h3 ha bh ha bh ha bh ha bh f9 db f9 db f9 db f9 db f9 db
fg a1 fg a1 fg a1 fg a1 kb h6 kb h6 kb h6 kb h6 kb h6 go e4 go e4 pu lu pu lu pu lu pu lu pu lu ga ep ga ep fq e6 fw
d2 fw d2 fw d2 h6 a1 lu e6 fr 3*92 jp gs hr fl hr fl hr fl hr fl hr fl hr fl hr fl hr fl hr fl hr fl hr fl hr fl fg fo
fg fo fg fo fg fo fg fo fg fo fg fo fg fo 9f 76 9f 76 lp gt lp gt lp gt lp gt lp gt lp gt lp gt ls h4 ls h4 ls h4 ls
h4 ls h4 kb h6 kb h6 lo iq lo iq lo iq lo iq lo iq fq e6 fq e6 fq e6 fq e6 lb ec kd gg gs ed 8*hb ja jk 2*op 2*o5 q4
q5 6*d2 2+jm jw 2*p1 2*oh 2+8*gw or p1 2*u6 2*tm vl vm 8*98 e5 ef 2*jk 2*j0 kz l0 6*gt 2+oh or 2*tw 2*tc 2+8*gm 1+lk
1+qp 1+q5 1+s5 8*m7 mz n9 2*se 2*ru tt tu 2*hb 2*d2 2*gw 2*98 2*gt 2*gm 2*m7 2+8*hb ja jk 2*op 2*o5 q4 q5 8*gw or p1
2*u6 2*tm vl vm 8*m7 mz n9 2*se 2*ru tt tu 5*hb 1+2*hb 2*hr k8 jo hr 75 98 75 2*cf 3*gw 1+2*gw kk k0 pp p5 kl az b0 cf
4*98 2+2*98 2*9f f3 ej 1+2*bz cf 4*gm 2*go 2*gm 2*fq m8 lo l9 2*i0 6i 2+3*m7 1+2*m7 pf ov nx nd jx 6i 75 1+dw rs dw rs
99 6y 4n fw 7g 4m 2s 5*0 2*8y fw dw 2*rs fb bf 2*4v 6y 4v 2*9z bk 9z 2*e8 ag a8 dw ew lz 7g 2*go 5*0 4m wp 16w 6g bc
g8 6g c8 gq b3 2*8m n9 dv cc dw 2*gx ae v2 8y 3m 2*90 nr iv iy fw i7 2*hr fb 6l gt fb ac rs gt fw ed km mu n1 65 i6 m4
2*7g 66 5*go 1+a*0 9q 4o 2+6*9q 3*9e 2*6a b6 a*9q 3*9e 2*6a 1+a5 a7 ax 9k a7 b6 9n 4o gw b6 b4 8n 6j 3+5*fw pz fw lk
n5 im m7 h5 3*fw qy 2*fw k8 gw f9 hk h9 k6 f6 2*fw lp mi g6 lf fw dp 1b+0 f+ju if hk rn fx mt nx gc hl oa g4 te ke ll
h6 h3 kn fj n5 eg nm lm sc n4 n8 i7 lp o8 nl ju h8 gk mi mg lh gu hi ex jx lb ga 98 h7 hr na io h7 cu gr mw ef w3 dc
gx eq ag cq 76 q0 12b ll f3 fc ll h8 k3 2*ek fq ka g3 dv 2*9j j3 kc i7 ke c5 sn mo lx su n2 p2 m1 ne nv n6 ld mu 4*n2
bv z+hk dc 4+o4 3s+fw qh+gi 1ar+ek 76 ek gt ha fl a1 kz hi i4 fj fw d2 lb ov hr lb ec qz mm e4 et cw k5 im bj gt cx 4o
au f7 g1 9s+w*0 e*dw sy 3*rs 8l id 2*ku fv 9e cc ku 8y fw 2*dw fv fw 2*fb 4*99 2*rs 2*e4 2*ms n1 mt cb g1 fw 5*7g c3
c9 d1 e8 1hc 26w 6g 75 9y jp 8u 6p bu rs 96 4*av 7g ac e8 7g ek 7g 9e 2*e5 fw hp cr 4*95 4*8c 9e noi+g1 d4 g1 d4 f7 db
av 9m ke hb ll d1 si oy ic ip pk o3 nf mp t1 me r0 ng i3 er kh h1 r0 n2 ir f1 kk h0 qn lo px l9 us ps lp gt ll hj 114
s4 oh 4*0 f7 a*0 2*g2 k9 gv f7 da wi rj ts qk nm k7 kj kh f6 dk k6 hh f6 dk nq kz j9 h5 sr oy 11f s5 lq gt ck aq 2*0
2o+8*9m f*bm 8l 9x a1 9m 2*di 3*7h 2*c6 ai 91 cj b5 kh h5 n6 mg gf fh ff er ha ge bj bp wx p5 w9 q7 us pt ot lw ox lw
ot lw hk dc h7 eu h7 eu h7 eu h5 9l ek 76 lp hg q0 iq 11f s5 gt h3 j2 ju no o6 lp h3 qm kv ga d6 hw g2 gu dz pm lk f8
e6 gt h3 gq h3 fw eg fd e7 e2 d6 gm gb am m0 c6 uo m8 dy ky jl em ll gn dj bj 2*gj ga ek 75 m7 iy dj bj hc dm bm 7g cf
2*7h kh b5 8l lg hi h3 2*dc h6 k1 n5 ef 97 kg gf k4 go kg gf k3 h3 h2 ey l1 h5 h8 bj f7 da nm gc kg gx fg hk h7 fg 81
hy hs hj si p4 kb h6 eq fs av 76 ko g3 lp gu td or hk f9 fw ka h3 f9 db 5+ga g7 1+h7 1+gh j2 h0 g9 e4 o+bh 9k e4 et cw
mm de h3 md ef gt p7 9f v3 73+0 1a+dm e9+h3 oz bj fq lr 9k gy bp ai ax pm 2*h5 2*cr g3 qa 2*qo 2*q3 hb f6 92 gg de ic
c7 hk 9y 2*h5 2*pm iu fb g7 fj he eq he eq e6 g8 b5 7m 6u c9 px mu nv ri h3 gt qo l3 bh dz 2*8c fpw+j4 2*gq 2*qa ip nc
l5+0 v+g*0 5r+0 70+2*rs 1he+hh 2*5t fi ac ba 1+h9 ie jg i4 bn 2*bd a4 b1 fs 95 a2 bd ap b4 bi b8 5q bz at 65 9n 6z
2*bv 2*97 ay fo e4 b3 7g 8g 77 5x af ff 2*di 9q 6e 9p 1+8k 7g 7y e4 63 a1 9b 62 8t 16it+oy h2 gh eu ej i9 e5 h6 bs 9k
7h 2*76 a1 dd ee eu bh wp 9q lq cs 9j ik jg r9 76 gu e5 dd e2
`;

/** Noto Sans SemiBold. */
export const heavyWidths = `
0 c+78 i+78 7p ck hy fw ob kn 6y 2*90 f6 fw 7r 8w 7o b3 a*fw 7o 7r 3*fw ct oy io ib hq kc fi ey k6 l0 aa 8l hz f6 pt
m1 lv h3 lv hv fa ft kr hj qh hq gr g0 96 b3 96 fw br 99 g9 he dy he g9 ab he hq 2*7v gc 7v qo hq h5 2*he c2 dp ba hq
f7 n2 fk f8 dg at fb at fw x+78 7s 2*fw fu fw fb ds gc n4 ac fy fw 8w n4 dw bu fw a8 a9 99 hu i2 7o 6x a9 am fy m6 n7
mt ct 6*io pp hq 4*fi 4*aa kc lw 5*lv fw lv 4*kr gr h7 is 6*g9 ox dy 4*g9 4*7v h7 hq 5*h5 fw h2 4*hq f8 he f8 io g9 io
g9 io g9 hq dy hq dy hq dy hq dy kc he kc hm fi g9 fi g9 fi g9 fi g5 fi g9 k6 he k6 he k6 he k6 he l0 hq l1 hu aa 7v
aa 7v aa 7v aa 7v aa 7v iw fz 8l 7v hx 2*gc f6 7v f6 7v f6 7v f6 97 fa 7z lw hq lw hq lw hq km m1 hq lv h5 lv h5 lv h5
qk qu hv c2 hv c2 hv c2 fa dp fa dp fa dp fa dp ft ba ft ba ft ba kr hq kr hq kr hq kr hq kr hq kr hq qh n5 gr f8 gr
g0 dg g0 dg g0 dg a2 hg lc hh hg i7 hf hq hp ea kc ne hh hg h4 fi lw hd hx da k6 h8 qv ao ac hz ge 8f gb sp m1 hq lw
mf i8 us ox k3 hg i0 fb dn g0 az ba gq ba fu nh k6 lt kr h0 ge fz dg 2*gc 2*fa fu g4 eq dg gz 8k fd ec 7p 107 xs uu nv
n9 fz um u0 pu io g9 aa 7v lv h5 kr hq kr hq kr hq kr hq kr hq g9 io g9 io g9 pp ox k6 hg k6 he hx gc lv h5 lv h5 gc
fa 7v 107 xs uu k6 he rz im lw hq io g9 pp ox lv h2 io g9 io g9 fi g9 fi g9 aa 7v aa 7v lv h5 lv h5 hv c2 hv c2 kr hq
kr hq fa dp ft ba gx dy l0 hq kx o3 k7 h2 g0 dd io g9 fi g9 lv h5 lv h5 lv h5 lv h5 gr f8 bj l6 bw 7v 2*qv iq hp dw fa
fy dm dd d4 d2 ib kr hy fj g5 8l 82 lj hg i0 c2 gs fb g9 3*hg dw f5 2*hg 2*g9 mp eo eq l1 h6 82 hg he gn f6 f2 2*hq hu
7v af 9d bi ao 81 k1 qo 2*qs 2*hw il h5 o8 mh ln 2*c2 c8 c2 c8 2*ah fl gg dm 4*82 2*ba hq hn hr f7 n5 f8 eb dd fn 2*fa
3*cq dp lv fu h9 gc hv 80 gc cs hg 2*cq rl sr tq m1 g7 p2 pm jg i4 em go 2*hy 2*bj 54 2*7u 7x ap f2 9x 5n bk 5n 5o 5n
2*4x 2*8h 2*7x 2*7w cq d4 4t b3 2*99 4t b3 2*99 2*8c 2*5h 3*7i 7o c4 65 8s 7e d3 dj 6y 7w 9x 54 8x a4 8a 7*bm d4 dr bh
2*bi 3*97 99 2*dj d3 7o 4*7y 2*em eu q*0 8h 2d*0 d0 b7 ka iu 2*65 ma j7 2+7j dv dy dv 7r 8l 4+7h kg l7 7o l4 ql gk
1+q6 1+no p1 af io ib ee ib fi g0 l0 lv aa hx hy pu lw hd lv kq h3 1+g0 ft gr oh hq nu km aa gr hw do hi af ha hw hc
f5 gp dn d8 hi gv af gc fd i7 f5 e8 h5 jq gz dz hs ek ha lo gz m9 nd af ha h5 ha ni hx i3 j7 hi oe hi lo qj gc lo h5
hq dx 2*ew dv fd gi e6 e+ik gz dy 7v lw e9 e1 h7 he hq pt lu h4 3*hq 2*fj kr f3 hz f8 8k 8p 8l sh t5 ky id lm hm kx in
ho ia f3 l2 fj qq gb 2*lm ij k0 pt l4 lf kv h4 hv ft hm o6 hp l6 ji tb tc k8 ot hj i5 s2 ih g5 h2 g8 ct he fw my e1
2*i6 g8 gx mj hs gz hl hd e8 dm f7 lq fc ho h7 pv px i5 mq fy e9 n3 gi 2*fw hs cw e8 dj 81 2*7v oj pc ht g8 i6 f7 hl
q4 nl iq i6 q3 lo js h2 r4 ns lk hh sv o4 h3 eq no mk lw h2 j2 fv j2 fv zm vt mz ir tl q2 q6 nl ig e8 gx 7*0 o3 ks hh
gu ha he fl df f8 d2 jj g0 ra oj gb e1 k4 h8 i4 g9 ij gg jy ik mh jr mz ku uj of lm i3 hq dy fu ei gr f9 gr f9 jh gr
p4 2*la j2 k1 hr k1 hq pb j8 pb j8 aa qs my kg h6 m1 iq kw hz ms jt k1 hs rj ny aa io g9 io g9 pp ox fi g9 lw g9 lw g9
qs my gb e1 gc fa lm i6 lm i6 lv h5 lw h5 lw h5 i2 e9 hm f7 hm f7 hm f8 ji h7 f9 ct ot mq f8 d2 j9 gx hq fk hh he ph
pe pa nj ir h2 s7 p6 so q3 lt i7 km jl he eo lp io rk nq 2*nh ox ow lv he qh n5 ij g8 tv nq ve oz m0 ja ma jf kp ht
14y z8 kj hw l2 hd r4+3*0 5v 2*mr uj 2*e6 fv mk p0 kh 4*ga 4*uk me nq gl he ih in kh ld lz m8 el go fh gc li gp j0 fa
id 2*gh gl mg gp kw hj h2 2*bx jv 2*lz ga k9 gy jv fd 0 7t 0 e1 3*7t 8*0 4*7t 0 89 7t rb 7*0 me nq gl ld fh gc mg h2
p0 kh 2*0 ay hf a*f5 c7 93 2*mr 2*uk 2*mr g9 le h3 gl le dm fk gp 1h7+fg 1x0+h*0 4+0 1+8*0 c1+g1 hl d9 hb br q2 i3 i6
hj 3b+ft kn ox gx es gx gs cv eq 86 8l f6 cp lj i1 i8 ec 3*hp qu fw 2*hd ef 2*f4 de h9 hc mk hc er m0 dk dm cq e7 cr
ed gw ec j3 gm c5 gq 2*bx d8 a0 a3 d8 dk 6t 5h bn 9v gt 3*e8 d4 b4 bm aa dd h8 2*ak bd g3 2*bb 2*ak 9j 9b bb 5b ai hc
bj b5 91 2*ba bb 77 bj ba hc 9v 98 br 9y b4 dx af 54 7u bj 9v br 9y b3 dx af qi 2*he ab qt i2 he c7 aj dm ba dd he bp
fx t6 9d ao he 2*hn 2*he aa mo gc 80 qt hu he c7 dm d9 f6 fk dg gc hg he g5 es eq jn 80 dx 80 hu eq bd 92 9v b6 9l 6p
59 bb bj 54 6v 69 68 57 58 57 8a 2*hj 2*bn cf b5 e2 8u 59 7c bj bh be bo 9v 8r 8p a6 9y b2 1m*0 1+5*0 io g9 ib he ib
he ib he hq dy kc he kc he kc he kg he kc he fi g9 fi g9 fi g9 fi g9 fi g9 ey aa k6 he l0 hq l0 hq l0 hq l0 hq l0 hq
aa 7v aa 7v hx gc hx gc hx gc f6 7v f6 7v f6 7v f6 7v pu qo pu qo pu qo lw hq lw hq lw hq lw hq lv h5 lv h5 lv h5 lv
h5 h3 he h3 he hv c2 hv c2 hv c2 hv c2 fa dp fa dp fa dp fa dp fa dp ft ba ft ba ft ba ft ba kr hq kr hq kr hq kr hq
kr hq ho f7 ho f7 qh n5 qh n5 qh n5 qh n5 qh n5 hq fk hq fk gr f8 g0 dg g0 dg g0 dg hq ba n5 f8 gr 3*a2 kn h4 io g9 io
g9 io g9 io g9 io g9 io g9 io g9 io g9 io g9 io g9 io g9 io g9 fi g9 fi g9 fi g9 fi g9 fi g9 fi g9 fi g9 fi g9 aa 7v
aa 7v lv h5 lv h5 lv h5 lv h5 lv h5 lv h5 lv h5 mf i8 mf i8 mf i8 mf i8 mf i8 kr hq kr hq nh k6 nh k6 nh k6 nh k6 nh
k6 gr f8 gr f8 gr f8 gr f8 mw fs km gl ht f9 8*hw k9 kj 2*qn 2*q3 rc rd 6*do 2+k9 kj 2*qc 2*ps 2+8*hi pr q1 2*vt 2*v9
wo wp 8*af fl fv 2*m1 2*lh mi mj 6*h5 2+p2 pc 2*vf 2*uv 2+8*ha 1+n0 1+t4 1+sk 1+tt 8*ni o2 oc 2*ug 2*tw v7 v8 2*hw
2*do 2*hi 2*af 2*h5 2*ha 2*ni 2+8*hw k9 kj 2*qn 2*q3 rc rd 8*hi pr q1 2*vt 2*v9 wo wp 8*ni o2 oc 2*ug 2*tw v7 v8 5*hw
1+2*hw 2*io lr l7 io 78 af 78 2*d3 3*hi 1+2*hi lo l4 r5 ql l0 2*c8 d3 4*af 2+2*af 2*aa h4 gk 1+2*d6 d3 4*ha 2*gz 2*ha
2*gr o8 no ly 2*kg 7h 2+3*ni 1+2*ni qq q6 pl p1 km 7h 78 1+dw rs dw rs 99 6y 4n fw 7o 4m 2s 5*0 2*8w fz dw 2*rs fb bf
2*5l 7k 5l 2*bh d8 bh e8 ed ag ad dw fk n3 7o 2*go 5*0 4m yh 190 7o dc j0 9q fq l9 b8 2*9k nh f3 cx dw 2*gx b9 v3 8w
3m 2*94 pe kb kc g6 i2 2*i1 f6 7f gq f6 b7 rs gq fp fg ny nq ns 79 iu n4 7o 7r 66 5*go 1+a*0 a8 54 2+6*a9 3*9r 2*6k bj
a*a9 3*9r 2*6k 1+2*ak b5 a4 ak bj ai 54 hc bj bb 8x 77 3+fw gj 3*fw qo fw nj ol js oa hm 3*fw rn gk fw kc hm fn hn ik
k9 fn 2*fw m8 nm gh lq fw e8 1b+0 f+lf l2 hk rt ge md ol hd i4 p7 g4 te ke ll hu ht kn fj n5 eg p5 lm sh n4 n8 i7 lp
o8 nl ju i2 gm lw lu lh hl hi fv km l6 ga af hx io na io h7 cu gr mw ey w3 dc gr ex av d9 7v q0 13e ll f3 fc ll h8 k4
2*f6 gr ka g3 dv 2*9j jh kn i7 l8 d2 sn om nv uq o2 q4 o6 pr og pf ni od 3*o2 o6 d1 z+hq dw 4+p1 3s+g1 qh+gi 1ar+fa 7z
fa h7 hy gc ba mh i6 iu gp g0 dg lg pp io lg fv rs o1 f6 fo d4 lb ji c4 h2 cy 54 bh f9 g2 9s+w*0 e*dw sy 3*rs 8l jw
2*ku fw 9f cz ku 8w fw 2*dw 2*fw 2*fb 4*97 2*rs 2*fp 2*np ns nq cz g1 fw 7o 7r 7o 2*7r cn cp du ds 1hb 26v 6p 7o 8u jj
8u 7f d8 rs a7 4*c4 7r b3 ea 7r f7 7o 9f 2*eg ff hm df 4*93 2*90 2*8y 9f noi+g2 de g2 de f9 dp bz ak ks hw ly d9 tl pn
i2 jg qw ph oi nc td n7 sx p5 jg gn ln h7 sx pi jh g5 l6 ho r0 lm qb lf v7 qq lv h2 lx ip 10s s7 o2 4*0 f7 a*0 2*g2 l2
he f9 dm yd u1 un r2 q7 mk lo lh fn eo ki i8 fr eo oo mg jy hu ti q6 10t rz lw h5 cq ay 2*0 2o+8*9m f*bm 96 ao au 9m
2*di 3*7i 2*c6 an 93 cl b8 ky hp o4 oj h5 fw fp f2 hr hh ca cl xj pr wh qf v2 qa pu nl q1 nl pu nl hq dw hz gc hz gc
hz gc it bd fa 7z lv ik qc ji 10t rz h7 he k6 ky ov p3 lv he qk lg gp ed j3 he hl f4 qe my g6 fp h7 he h6 he i9 fl f7
e5 gm g1 hk gx b0 mw di wa ng gl lz me eo lw h2 eg c8 2*gz fx f6 7u m4 jd eg c8 hf e2 d4 7r cw 7s 7i ky b7 9o ms ib hh
dy e1 hu lb nx ey a2 l4 h6 kr h9 l4 h5 k4 he hx gd m0 2*hu c7 f9 dm o9 hd kz hc ft i8 hx ft 9g ip ic i4 ti q2 kr hu g4
g8 ck 7u l9 gj lv h5 ur qd hn fa g0 kc he fa dp 5+gg gp 1+hk 1+h7 kb ie gg ep o+bp 9o ec fo d4 mm do hb nb ey h3 pu aa
w6 73+0 1a+du e9+hg pd bj g6 mb ab hb ci bi bq qn 2*hp 2*cr gp qu r0 qv r5 r3 hy gc 9i ho e4 jl cu ie 9w hp hv 2*qn j5
g1 ht g4 ih fk ih fk f8 gi bi 84 7h cg pt no o3 rr hg hn rh m3 c7 es 2*8c fpw+kk i6 ia sg sl kl ox l5+0 v+g*0 5r+0
70+2*rs 1he+i5 2*5e g5 aa bn 1+i1 j4 k4 iz bu 2*br ai bd gu 9r ad bq b2 bj bm bk 67 cm bw 6z aa 77 2*d3 2*9w b3 fl el
ba 7u 8m 7n 6g ap g9 2*ee b2 77 ab 1+9b 7z 8l e7 5k 9z 9c 61 97 16it+pz hd gt gc fi k1 f6 hq c1 aa 7s 2*82 ba e0 ex gc
c2 ys ao nd e2 ah lr le sr 7v h5 g8 dp eh
`;

/** Noto Sans Arabic, where Noto Sans has no glyph and there is but one form. */
export const arabicWidths = `
16o+vq 15s u3 10c 1kl y2 2*ha ut i1 n5 cf 94 a5 p4 eh b*0 9k go gs 81 c2 17+l*0 a*fw d5 2*6t du 2+0 2r+8b 1+7*0 122 rr
6*0 2+2*0 gw 4*0 2+a*fw 3+bf dg ax+52 7+2*19u 6+8*0 16+o*0 fw t*0 4yi+ha 16wl+6j 83 rl ud 7h 9j rl ud 8b ad rl ud 8b
ad rl ud 8b ad rl ud 8b ad rl ud 7h ad rb ui cf dr rb ui cf dr hr i1 gd hp ib jz gd hp ib jz gd hp ib jz gd hp d9 es
d9 es d9 es d9 es a7 b0 a7 b0 od r3 bg e4 od r3 bg e4 od r3 bg e4 od r3 bg e4 j1 ka j1 ka 7h ad b9 di b9 db 7h c6 io
h2 fy e3 q6 f9 q6 f9 2*47 8*81 79 46 48 62 8d 7p 9s g+oi pm bg e4 cf d4 cf d4 cf d4 nu cf d4 cf d4 cf d4 l4 kg 8b ad
7h 9j fk hm ks mu kl mn kl mn kl mn kl mn rx tz hu rx tz h0 l4 kg 8b ad 2*pi n3 2*rx 3*pi n3 2*rx 3*pi n3 2*rx pi n3
2*rx ye vz ye vz 2*ye vz 3*13t 11e 174 14p 3*174 14p 10u 2*yf w0 tl w0 tl 3*ug s1 2*wv ug s1 2*wv jj 3*th vq r2 2*vw
3*p9 mu 2*ro 3*wm u7 2*z1 3*pi n3 2*rx xz vk 2*10e 3*qc nx 2*sr d9 a7 l4 8z 8g 2*8z 8g 8z 2*kj p5 tt 2*tz 2*kj p5 tt
2*tz 2*ld pz un 2*ut 2*ld pz un 2*ut 4*y7 m7 ye tq 2*yk ny 2*ss o5 vo 2*kj p5 tt 2*tz kg 2*ld pz un 2*ut 3*p6 nj lk
3*p6 nj lk 3*p6 nj lk nj y2 wf y2 wf y2 wf 3*13h 11u 2*16s 155 3*16s 155 10i yv vo u1 vo u1 3*u4 sh u4 sh 3*t5 js ri
3*ox na lb 3*wa un 3*p6 nj lk xn w0 fy 3*q0 od me pl nm pl nm qf og qf og 13o 11p 13o 11p mg u6 oe pl nm qf og 3*7i
2*139 4*yf 4*168 6*10t 4*19j 3*13t 11e 2*ws 2*103 2*146 4*yx 4*182 6*125 4*1at 3*15n 138 2*ym 2*11d 3*13h 11u 2*zv yv
6*15b 2*zs 83 6m 2*bx 14d 1g9 1ke 1ph 1t8 1rq vq 1gt 1qf 1bs tj yz 12y 1cc 12x 1aq 158 1a3 16v 5*158 1fs 1e4 2*1i7
2*1l6 1pr 1lp 2*1jj 1ja 1hw 1q3 1oh 1m1 1kx 1jj 1pr 1lp 1jj 1ja 1hw 1si 1no 1mu 1ht 1gk 1ex 1k8 1bs 1a5 1a3 1ez 1a5
2*1ez 1b2 1a6 1bu 19f 15n 2*1ah 16m 182 15n 14z 16f 14z 1dz 1cc 1i7 1dz 1cc 1dz 1cc 2+1dz 1dp 1c2 158 1bo 16u 158 1bo
2*1a1 161 14f 1bo 4*1ci 2*1av 1i7 1ii 1i7 1pr 1si 1pr 1si 1ah 18u 2*1ci 1av 1gk 1e9 1bo 1a6 14z 1ez 1em 16v 1i7 14z
19s 15n 199 2*1ju 1i7 1e9 1bo 17k 1bq 1l7 1pr 1bo 7+14h w+1co 100 zo 12i 1r4 1ri 1se 1a6 1m5 1hv vq sa xc 7jn 17f se
34+8g 7i ad 7e 8g 1+8g 7i 8w 7i 8g 7i 8z 7i 6j 7i bf 6j 83 6j 83 cf d4 6m 83 l4 kg 7h 9j 6m 83 rl ud 7h 9j b9 di rl ud
7h ad rl ud 7h ad hr i1 gd hp hr i1 gd hp hr i1 gd hp d9 es d9 es a7 b0 a7 b0 xl z9 ls nm xl z9 ls nm 10a 11k p3 qd
10a 11k p3 qd lw n3 it jq lw n3 it jq e3 er dz eh e3 er dz eh rb ui cf dr li mg cf dr oi pm bg e4 jb ka 78 8c dg fm el
g2 j1 ka 7h 9j b9 di fy e3 cf d4 l4 kg l4 kg 8b ad g6 gn g6 gn g6 gn g6 gn 35s+3*0
`;

/** The letters of Noto Sans Arabic: code, then alone, at the end, at the start, in the middle. */
export const arabicForms = `
17k.l4.kg.7h.9j 17l.bf.bf.bf.bf 17m.6j.81.6j.81 17n.6j.81.6j.81 17o.cf.d4.cf.d4 17p.6j.81.6j.81 17q.l4.kg.7h.9j
17r.6m.83.6m.83 17s.rl.ud.7h.9j 17t.b9.di.b9.di 17u.rl.ud.8b.ad 17v.rl.ud.8b.ad 17w.hr.i1.gd.hp 17x.hr.i1.gd.hp
17y.hr.i1.gd.hp 17z.d9.es.d9.es 180.d9.es.d9.es 181.a7.b0.a7.b0 182.a7.b0.a7.b0 183.xl.z9.ls.nm 184.xl.z9.ls.nm
185.10a.11k.p3.qd 186.10a.11k.p3.qd 187.lw.n3.it.jq 188.lw.n3.it.jq 189.e3.er.dz.eh 18a.e3.er.dz.eh 18b.od.r3.bg.e4
18c.od.r3.bg.e4 18d.l4.kg.8b.ad 18e.l4.kg.8b.ad 18f.l4.kg.8b.ad 18g.7i.7i.7i.7i 18h.rb.ui.cf.dr 18i.li.mg.cf.dr
18j.oi.pm.bg.e4 18k.jb.ka.78.8c 18l.dg.fm.el.g2 18m.j1.ka.7h.9j 18n.io.di.fy.e3 18o.cf.d4.cf.d4 18p.l4.kg.7h.9j
18q.l4.kg.8b.ad 19q.rl.ud.7h.9j 19r.li.mg.cf.dr 19t.6j.81.6j.81 19u.6j.81.6j.81 19v.6j.81.6j.81 19w.bf.bf.bf.bf
19x.bf.bf.bf.bf 19y.e7.d4.e7.d4 19z.e7.d4.e7.d4 1a0.mw.kg.bf.bf 1a1.rl.ud.8b.ad 1a2.rl.ud.7h.9j 1a3.rl.ud.7h.9j
1a4.rl.ud.8b.ad 1a5.rl.ud.8b.ad 1a6.rl.ud.8b.ad 1a7.rl.ud.8b.ad 1a8.rl.ud.8b.ad 1a9.hr.i1.gd.hp 1aa.hr.i1.gd.hp
1ab.ib.jz.gd.hp 1ac.hr.i1.gd.hp 1ad.hr.i1.gd.hp 1ae.ib.jz.gd.hp 1af.ib.jz.gd.hp 1ag.d9.es.d9.es 1ah.d9.es.d9.es
1ai.d9.es.d9.es 1aj.d9.es.d9.es 1ak.d9.es.d9.es 1al.d9.es.d9.es 1am.d9.es.d9.es 1an.d9.es.d9.es 1ao.d9.es.d9.es
1ap.a7.b0.a7.b0 1aq.a7.b0.a7.b0 1ar.a7.b0.a7.b0 1as.a7.b0.a7.b0 1at.a7.b0.a7.b0 1au.a7.b0.a7.b0 1av.a7.b0.a7.b0
1aw.a7.b0.a7.b0 1ax.a7.b0.a7.b0 1ay.xl.z9.ls.nm 1az.xl.z9.ls.nm 1b0.xl.z9.ls.nm 1b1.10a.11k.p3.qd 1b2.10a.11k.p3.qd
1b3.lw.n3.it.jq 1b4.e3.er.dz.eh 1b5.rb.ui.cf.dr 1b6.rb.ui.cf.dr 1b7.rb.ui.cf.dr 1b8.rb.ui.cf.dr 1b9.rb.ui.cf.dr
1ba.rb.ui.cf.dr 1bb.li.mg.cf.dr 1bc.li.mg.cf.dr 1bd.od.r3.bg.e4 1be.sa.ub.l7.na 1bf.od.r3.bg.e4 1bg.oi.pm.bg.e4
1bh.oi.pm.bg.e4 1bi.oi.pm.bg.e4 1bj.od.r3.bg.e4 1bk.od.r3.bg.e4 1bl.od.r3.bg.e4 1bm.od.r3.bg.e4 1bn.od.r3.bg.e4
1bo.od.r3.bg.e4 1bp.jb.ka.78.8c 1bq.jb.ka.78.8c 1br.jb.ka.78.8c 1bs.jb.ka.78.8c 1bt.j1.ka.7h.9j 1bu.j1.ka.7h.9j
1bv.j1.ka.8b.ad 1bw.j1.ka.7h.9j 1bx.j1.ka.8b.ad 1by.io.h2.fy.e3 1bz.ib.jz.gd.hp 1c0.b9.di.b9.di 1c1.b9.db.7h.c6
1c2.b9.db.7h.c6 1c3.b9.db.b9.db 1c4.cf.d4.cf.d4 1c5.cf.d4.cf.d4 1c6.cf.d4.cf.d4 1c7.cf.d4.cf.d4 1c8.cf.d4.cf.d4
1c9.cf.d4.cf.d4 1ca.cf.d4.cf.d4 1cb.cf.d4.cf.d4 1cc.l4.kg.8b.ad 1cd.l4.kg.l4.kg 1ce.l4.kg.8b.ad 1cf.cf.d4.cf.d4
1cg.l4.kg.7h.9j 1ch.l4.kg.8b.ad 1ci.q6.f9.q6.f9 1cj.q6.f9.q6.f9 1cl.b9.di.b9.di 1d1.51.51.51.51 1d2.9r.9r.9r.9r
1da.d9.es.d9.es 1db.a7.b0.a7.b0 1dm.xl.z9.ls.nm 1dn.10a.11k.p3.qd 1do.e3.er.dz.eh 1dr.io.h2.fy.e3 1g0.rl.ud.8b.ad
1g1.rl.ud.8b.ad 1g2.rl.ud.8b.ad 1g3.rl.ud.8b.ad 1g4.rl.ud.8b.ad 1g5.rl.ud.7h.9j 1g6.rl.ud.7h.9j 1g7.hr.i1.gd.hp
1g8.ib.jz.gd.hp 1g9.d9.es.d9.es 1ga.d9.es.d9.es 1gb.a7.b0.a7.b0 1gc.xl.z9.ls.nm 1gd.e3.er.dz.eh 1ge.e3.er.dz.eh
1gf.e3.er.dz.eh 1gg.rb.ui.cf.dr 1gh.rb.ui.cf.dr 1gi.od.r3.bg.e4 1gj.od.r3.bg.e4 1gk.od.r3.bg.e4 1gl.dg.fm.el.g2
1gm.dg.fm.el.g2 1gn.j1.ka.8b.ad 1go.j1.ka.7h.9j 1gp.j1.ka.7h.9j 1gq.jb.ka.78.8c 1gr.a7.b0.a7.b0 1gs.a7.b0.a7.b0
1gt.xl.z9.ls.nm 1gu.ib.jz.gd.hp 1gv.ib.jz.gd.hp 1gw.xl.z9.ls.nm 1gx.a7.b0.a7.b0 1gy.hr.i1.gd.hp 1gz.6m.83.6m.83
1h0.6m.83.6m.83 1h1.l4.kg.8b.ad 1h2.l4.kg.8b.ad 1h3.l4.kg.8b.ad 1h4.cf.d4.cf.d4 1h5.cf.d4.cf.d4 1h6.q6.f9.8b.ad
1h7.q6.f9.8b.ad 1h8.ib.jz.gd.hp 1h9.xl.z9.ls.nm 1ha.xl.z9.ls.nm 1hb.oi.pm.bg.e4 1o0.6m.6m.6m.6m 1o1.6m.6m.6m.6m
1o2.6m.6m.6m.6m 1o3.6m.6m.6m.6m 1o4.6m.6m.6m.6m 1o5.6m.6m.6m.6m 1o6.6m.6m.6m.6m 1o7.6m.6m.6m.6m 1o8.6m.6m.6m.6m
1o9.6m.6m.6m.6m 1oa.6m.6m.6m.6m 1ob.6m.6m.6m.6m 1oc.6m.6m.6m.6m 1od.6m.6m.6m.6m 1oe.6m.6m.6m.6m 1of.6m.6m.6m.6m
1og.6m.6m.6m.6m 1oh.6m.6m.6m.6m 1oi.6m.6m.6m.6m 1oj.aa.aa.aa.aa 1ok.aa.aa.aa.aa 1ol.7i.7i.7i.7i 1om.8b.8b.8b.8b
1on.52.52.52.52 1op.j1.j1.j1.j1 1oq.hr.hr.hr.hr 1or.lw.lw.lw.lw 1os.lw.lw.lw.lw 1ot.od.od.od.od 1ou.7y.7y.7y.7y
1pc.rl.ud.7h.9j 1pd.rl.ud.7h.9j 1pe.hr.i1.gd.hp 1pf.lw.n3.it.jq 1pg.rb.ui.cf.dr 1ph.li.mg.cf.dr 1pi.jb.ka.78.8c
1pj.dg.fm.el.g2 1pk.l4.kg.8b.ad 1pl.l4.kg.8b.ad 1pm.dl.f0.dl.f0 1pn.cf.d4.cf.d4 1po.fc.fr.fc.fr 1pp.6l.6l.6l.6l
1pq.d9.es.d9.es 1pr.10a.11k.p3.qd 1ps.od.r3.bg.e4 1pt.d4.d4.d4.d4 1pu.a7.b0.a7.b0 1pv.e3.er.dz.eh 1pw.oi.pm.bg.e4
1px.li.li.li.li 1py.rl.ud.7h.9j 1pz.rl.ud.8b.ad 1q0.rl.ud.8b.ad 1q1.a7.b0.a7.b0 1q2.l4.kg.8b.ad 1q3.rb.ui.cf.dr
1q4.li.mg.cf.dr 1q5.j1.ka.7h.9j 1q6.rl.rl.rl.rl 1q7.rl.rl.rl.rl 1q8.rl.rl.rl.rl 1q9.ib.ib.ib.ib 1qa.od.od.od.od
1qb.e3.e3.e3.e3 1qc.li.li.li.li 1qd.hr.hr.hr.hr 1qe.hr.hr.hr.hr 1qf.jb.jb.jb.jb 1qg.od.od.od.od 1qh.9m.9m.9m.9m
`;

/** Noto Sans SC, where Noto Sans has no glyph. */
export const chineseWidths = `
6hp+2*0 3l+c*rs 4+c*rs k+a*rs u+2*rs a+3*rs 4+2*rs 3+rs 1+rs 1+rs h+4*rs b+rs a+rs 1+2*rs 1+7*rs 3+rs 1+rs 1+rs 1+rs
4+rs 2+4*rs 2+rs 1+a*rs 5+4*rs 5+rs 5+rs 1+rs 2+rs 3+rs j+3*rs 1+4*rs 2+2*rs 2+2*rs 2+2*rs 2+2*rs a+6*rs 2+2*rs 9+5*rs
6+rs 4+rs p+rs q+2*rs j+rs l+3*rs a+rs 5+rs g+2*rs 3p+2*rs c+f*rs 1+rs b+2*rs 1z+rs 1o+98*rs 5+3*rs 2+2*rs 4+2*rs
2+2*rs 4+2*rs 1+3*rs 2+6*rs e+5*rs 8+rs g+4*rs 1+2*rs 2+rs 4+2*rs 6+2*rs 4+4*rs f+rs g+3*rs t+g*rs 2+c*rs y+rs s+2*rs
1v+rs g+iz 6+rs y+rs 1+2*rs l+rs v+u*rs d+rs b6+2*rs 3t+rs 1m+2*rs 7d+3*rs i+rs 3e+rs kq+q*rs 1+2h*rs c+5y*rs q+c*rs
4+16*rs 4*0 2*6y g*rs 1+2e*rs 2+2*0 2t*rs 5+17*rs 1+1f*pk 1+16*pk 1+10*rs 4*go 3*rs go 4+10*rs c+1b*rs 1+7g*rs
1+58p*rs 22+g6o*rs hlc+4*rs 1+2*rs 4+2*rs 8+rs 1+4*rs 6+rs a+2*rs 1+rs 1+5*rs 1+4*rs 8+rs 3+4*rs 3+rs 3+2*rs a+rs
3+6*rs 6+rs 3+rs 1+rs 1+rs 2+3*rs 2+3*rs 3+2*rs 4+3*rs 1+rs 4+rs 1+rs 2+rs l+rs 4+rs 3+rs 3+rs 1+2*rs 1+rs 4+2*rs 9+rs
7+2*rs 2+5*rs 1+3*rs 2+rs 1+rs 7+rs 2+2*rs 4+rs 2+rs 1+rs 2+rs 2+4*rs 1+rs 1+4*rs 1+rs 1+2*rs 3+rs 6+3*rs 1+2*rs
2+3*rs 5+rs 3+3*rs 1+2*rs 1+rs c+rs 1+rs 1+rs h+2*rs q9+a*rs m+z*rs 1+j*rs 1+4*rs 45+2o*rs 1r*dw 1+u*pk 3+6*pk 2+6*pk
2+6*pk 2+3*pk 3+7*rs 1+7*dw 1bm9+d*rs 3+v*rs n4 1m*rs jr 2*k9 3+1p*rs 2b+3*rs d+18*rs 4+9*rs 7+2*rs 2t1+rs 1+rs 1u+rs
47+rs xv+rs 25+rs 195+rs 1c9+rs 3c+rs cj+rs 3w7+rs 2ez+rs 1cb+2*rs ay+rs re+rs f+rs 1cq+rs 6p+rs 11+rs 3f+rs 23+rs
220+rs 1b+rs 1x+rs 10u+rs sf+rs nd+rs h7+rs dk+rs 79+rs d0+rs ei+rs 5g+rs 2hc+rs 16k+rs 7b+rs 1t+rs su+rs hb+rs s+rs
96+rs o8+rs 71+rs 7+rs 1+rs 2+rs ca+rs 3t+rs 1k5+rs b4+rs 1gt+rs 4+rs 8+rs 1n4+rs 7x+rs r+rs 7s+rs 5+rs x+rs 11l+rs
as+2*rs e+2*rs 50+rs 7m+rs 2q+rs b+rs 2+rs a+rs 3q+rs b+rs 2+rs 25+rs 3p+rs 7+rs 6+rs 2+rs j+2*rs 13+rs 3b+2*rs 3+rs
1f+rs c+rs 13+2*rs 8+3*rs 1+rs 1+rs 2w+2*rs m+rs 1r+rs 57+rs r+rs w+rs i+rs 2+rs 9+rs 3+rs h+rs 4b+rs em+rs 47+rs 2+rs
p+rs 6+rs 47+rs 9n+rs f+rs 33+rs 1d+rs e7+2*rs 3i+rs w+rs 7e+rs 3+rs v+rs 3m+rs b+rs r+rs 36+rs 1v+rs 5+rs 2+rs 83+rs
b+rs 2+rs 4q+rs 5s+rs 4+rs 8+rs 7+rs 1+3*rs 1+rs i+rs 7+2*rs 68+rs 2+rs 33+rs x+rs 1n+rs 63+rs 4+rs 2+rs h+rs j+rs
2+rs i+rs 6c+rs b+rs 32+rs 17+rs 3j+rs 3+2*rs 2+rs 6+2*rs 1+rs 3+rs 1+rs 8+rs 3+rs b+2*rs 8+rs 4+rs 2+rs 2+rs 3+rs
2+rs 1+rs 3+rs 1g+rs d+2*rs d+rs 3r+rs 8+rs 45+2*rs 6+rs 1+rs 2+2*rs 6+rs 3k+rs 1+rs 1+2*rs e+2*rs 7+rs 4+2*rs 12+rs
1u+rs 1+rs 8+rs 2+rs 3+rs 29+rs b+rs a+rs 1bk+rs 6yn+rs 1d+rs 4di+2*rs b1+rs
`;

/** Noto Emoji, where Noto Sans has no glyph. */
export const emojiWidths = `
6hv+za 4w+6*za f+2*za a7+2*za c+za 4m+za p+b*za 4+3*za 5j+za 6f+2*za a+za 9+za 1m+4*za 1+5*za 9+za 2+za 2+2*za 2+za
4+za 2+za 1+2*za 2+za 3+za 3+2*za 8+3*za 5+za 1+za 5+c*za b+2*za 2+za 1+2*za 1+za i+za 2+2*za i+6*za 1+za 1+2*za
3+2*za 5+za 2+2*za 4+2*za b+2*za 5+2*za 2+za 5+2*za 1+za 1+2*za k+2*za 5+6*za 1+4*za 2+za 4+za 2+za 2+6*za 1+za 2+za
1+za 1+za 6+za 3+za 6+za a+2*za f+za 2+za 4+za 1+za 4+3*za 1+za b+2*za 1c+3*za 9+za e+za e+za ac+2*za cv+3*za j+2*za
1f+za 4+za yi+za c+za gp+za 1+za 146s+2*0 1bsk+za 5m+za 4g+2*za c+2*za e+za 2+a*za 23+q*za 1+2*za n+za k+za 2+9*za
l+2*za 4u+y*za 2+34*za 2+2*za 1+3*za 2+2b*za 2+3*za 1+7b*za 1+1r*za b+6*za 1+o*za 7+2*za 2+8*za c+za 2+4*za 2+za
4+2*za d+2*za 2+za 8+2*za 9+za 5+3*za c+3*za 8+3*za 2+za 1+za 4+za 6+za 3+za 6+2e*za 1c+1y*za 5+8*za 2+5*za 2+a*za
3+za 1+2*za 3+za 2+a*za 6b+c*za 4+za 7v+1b*za 1+a*za 1+55*za 34+d*za 3+1z*za 1+za 3+i*za 1+d*za 3+c*za gvud+a*0 13+q*0
4+0 2nol+a*za n1+za 1+a*za
`;
