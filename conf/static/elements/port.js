"use strict";(()=>{var d=new Map;function l(r){let t=d.get(r);return t||(t=new Promise((o,e)=>{let i=document.createElement("script");i.src=r,i.onload=()=>o(),i.onerror=()=>{d.delete(r),i.remove(),e(new Error(`${r} could not be loaded`))},document.head.append(i)}),d.set(r,t)),t}function p(){return new URL(document.documentElement.dataset.content_root??"./",window.location.href)}var n=class{#t;constructor(t){this.#t=JSON.parse(t.dataset.words??document.body.getAttribute(`data-${t.localName}`)??"{}")}say(t,o={}){return(this.#t[t]??t).replace(/\{(\w+)\}/g,(i,s)=>String(o[s]??i))}};var m=`import os

import torch
import torch.distributed as dist
from torch.distributed import ReduceOp, all_gather as gather_all


def average_gradients(model, group=None):
    size = dist.get_world_size(group)
    for parameter in model.parameters():
        work = dist.all_reduce(parameter.grad, op=ReduceOp.AVG, group=group, async_op=True)
        work.wait()


def total_on_first_rank(loss):
    dist.reduce(loss, dst=0)
    return loss.item() if dist.get_rank() == 0 else None


def main():
    dist.init_process_group("nccl", rank=int(os.environ["RANK"]), world_size=2)
    pieces = [torch.empty(4) for _ in range(dist.get_world_size())]
    gather_all(pieces, torch.ones(4))
    dist.monitored_barrier()
    dist.destroy_process_group()
`;var u="apidiff.port",f=120,c=class extends HTMLElement{#t=new n(this);#e=document.createElement("textarea");#o=document.createElement("p");#i;#s=0;connectedCallback(){if(this.contains(this.#e))return;let t=this.#e;t.id="apidiff-port-code",t.rows=Number(this.dataset.rows)||10,t.spellcheck=!1,t.autocapitalize="off",t.setAttribute("autocomplete","off"),t.setAttribute("aria-describedby","apidiff-port-private"),t.wrap="off",t.className="apidiff-port-box";let o=document.createElement("label");o.htmlFor=t.id,o.textContent=this.#t.say("label");let e=document.createElement("p");e.id="apidiff-port-private",e.className="apidiff-port-private",e.textContent=this.#t.say("private"),this.#o.setAttribute("role","status"),this.#o.className="apidiff-port-says";let i=document.createElement("div");i.className="apidiff-port-buttons",i.append(this.#n("sample",()=>this.#r(m)),this.#n("clear",()=>this.#r(""))),this.replaceChildren(o,e,t,i,this.#o);for(let a of["focus","click","paste"])t.addEventListener(a,()=>{this.#d()});t.addEventListener("input",()=>this.#a(f));let s=h();s&&this.#r(s,!1)}#n(t,o){let e=document.createElement("button");return e.type="button",e.className="apidiff-port-button",e.dataset.act=t,e.textContent=this.#t.say(t),e.addEventListener("click",o),e}#r(t,o=!0){this.#e.value=t,this.#e.setSelectionRange(0,0),this.#e.scrollTop=0,o&&this.#e.focus(),this.#a(0)}#a(t){g(this.#e.value),window.clearTimeout(this.#s),this.#s=window.setTimeout(()=>{this.#d().then(o=>o?.show(this.#e.value))},t)}async#d(){this.#i??=this.#c();try{return await this.#i}catch{this.#i=void 0,this.#o.textContent=this.#t.say("failed");return}}async#c(){this.#o.textContent=this.#t.say("loading");let t=p();await Promise.all([this.dataset.table??"",this.dataset.parser??""].map(a=>l(new URL(a,t).href)));let{apidiffPort:o,apidiffPortParser:e}=window;if(!o||!e)throw new Error("the scripts of the panel hold something else");let i=document.createElement("div"),s=e.panel(i,this.#t,o);return this.#o.textContent="",this.append(i),s}};function h(){try{return window.sessionStorage.getItem(u)??""}catch{return""}}function g(r){try{window.sessionStorage.setItem(u,r)}catch{}}customElements.define("apidiff-port",c);})();
