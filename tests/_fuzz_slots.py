import random, tempfile, uuid, sys, collections, time
from pathlib import Path
from hypothesis import given, settings, HealthCheck, Phase, seed as hseed
from hypothesis import strategies as st
from nestling.common.errors import *
from nestling.common.server import start_server
from nestling.common.connection import connect
from tests.generators.designs import designs
from tests.generators.plain_worlds import plain
from tests.generators.worlds import worlds
from tests.generators.writes import Writer
from tests.write_traces import trace
seen=collections.Counter()
def slotted(d):
    def walk(b):
        return any(e.slots or walk(e.body) for e in b.embeddings)
    return any(walk(c.body) for c in d.collections)
with start_server() as server, connect(server.uri) as client:
    end=time.monotonic()+float(sys.argv[1])
    @hseed(int(sys.argv[2]))
    @given(st.data())
    @settings(max_examples=100000, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate], database=None)
    def go(data):
        if time.monotonic()>end: raise SystemExit(print(seen))
        world=plain(data.draw(worlds(entities=3, rows=4).filter(lambda w: not w.loose)))
        d=data.draw(designs(world))
        bucket=any(c.bucket is not None and not c.bucket.by for c in d.collections)
        if not (slotted(d) or bucket): return
        seen["slots" if slotted(d) else "bucket"]+=1
        db=client[f"s{uuid.uuid4().hex[:8]}"]
        with tempfile.TemporaryDirectory() as f:
            try:
                try: run=trace(d, world.rows, db, Path(f))
                except NestlingError as e:
                    k="load: "+str(e)[:160]
                    seen[k[:60]]+=1
                    if seen[k[:60]]<3: print(k)
                    return
                w=Writer(run.design.model, run.connection, random.Random(data.draw(st.integers(0,1<<30))))
                for _ in range(10):
                    sql=w.statement()
                    try: run.run(sql); seen["statements"]+=1
                    except (AssertionError, Exception) as e:
                        k=type(e).__name__+": "+str(e)
                        seen[k[:90]]+=1
                        if seen[k[:90]]<3:
                            print("FAILED", sql, k[:700])
                            print(d.collections); 
                        break
            finally: client.drop_database(db.name)
    go()
    print(seen)
